"""A little reading of C++: enough to tell code from comments and to find bodies. Not a parser."""

import re

_TOKEN = re.compile(
    r'//[^\n]*|/\*.*?\*/|R"(?P<tag>[^()\s\\]*)\(.*?\)(?P=tag)"|"(?:\\.|[^"\\\n])*"'
    r"|(?<![0-9A-Fa-f])'(?:\\.|[^'\\\n])+'", re.S)


def code_only(text):
    """The text with comments, strings and preprocessor lines blanked; every position kept."""
    def blank(match):
        return re.sub(r"[^\n]", " ", match.group())
    text = _TOKEN.sub(blank, text)
    return re.sub(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", blank, text, flags=re.M)


def closing(code, start):
    """Position of the bracket that closes the one at `start`, or the end of the text."""
    pairs = {"{": "}", "(": ")", "[": "]", "<": ">"}
    opening, end = code[start], pairs[code[start]]
    depth = 0
    for position in range(start, len(code)):
        if code[position] == opening:
            depth += 1
        elif code[position] == end:
            depth -= 1
            if depth == 0:
                return position
    return len(code)


def line_of(text, position):
    return text.count("\n", 0, position) + 1


def bodies(code, start=0, end=None):
    """Yields (head, position of '{', position of '}') of each body in the order of the text, outer
    ones only; the head is what stands between the previous ';', '{' or '}' and the '{'."""
    end = len(code) if end is None else end
    head_start, position = start, start
    while position < end:
        char = code[position]
        if char == "(":
            position = closing(code, position)
        elif char == "{":
            last = min(closing(code, position), end)
            yield code[head_start:position], position, last
            position = head_start = last
            head_start += 1
        elif char in ";}":
            head_start = position + 1
        position += 1
