// The fields of one constraint of the file, as its type asks for them; rows go to the compiler.
#pragma once

#include "kinegrad/model/constraint_type.hpp"
#include "model/model_compiler.hpp"

namespace kinegrad {

class ConstraintFields final : public ConstraintWriter {
 public:
  ConstraintFields(ModelCompiler& compiler, const ConstraintSpec& spec, const ConstraintModel& type,
                   int constraint)
      : compiler_(compiler), spec_(spec), type_(type), constraint_(constraint) {}

  bool has(std::string_view field) const override;
  int count(std::string_view field) const override;
  int point(std::string_view field, int i) override;
  int direction(std::string_view field, int i) override;
  int unit_direction(std::string_view field, int i) override;
  Symbol number(std::string_view field, int i) override;
  Symbol angle(std::string_view field, int i) override;
  Symbol coordinate(std::string_view field, int i) override;
  bool is_angle(std::string_view field, int i) override;
  Symbol expression(std::string_view field) override;

  int body(int vector) const override;
  Vec3T<Symbol> in_body(int vector) const override;
  int fixed_direction(int body, const Vec3T<Symbol>& e, const std::string& name) override;
  int ground_point(const Vec3T<Symbol>& r, const std::string& name) override;
  std::array<int, 2> perpendicular(int direction, const std::string& name) override;
  Vec3T<Symbol> motion(int vector, int order) override;

  void holonomic(std::vector<ConstraintTerm> terms, const Symbol& E) override;
  void nonholonomic(const Symbol& E) override;
  [[noreturn]] void refuse(const std::string& message) const override;

 private:
  const VectorSpec& vector_spec(std::string_view field, int i) const;
  const NumberSpec& number_spec(std::string_view field, int i) const;
  /// The input that a coordinate of the file names.
  SignalInput coordinate_input(std::string_view field, int i);
  /// "length", or "factors 2" of a list.
  std::string label(std::string_view field, int i) const;
  /// What an entry of p is called: "rod.points_2".
  std::string entry_name(std::string name) const;
  int add_vector(int body, const Sym3& x, bool is_point, const std::string& name);

  ModelCompiler& compiler_;
  const ConstraintSpec& spec_;
  const ConstraintModel& type_;
  int constraint_;
  SourceLocation rows_where_;  // of the expression that was read last
};

}  // namespace kinegrad
