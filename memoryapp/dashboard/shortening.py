"""Long texts where there is room for a short one."""


def shortened(text: str, length: int) -> str:
    """At most that many characters, cut at a space where there is one near, with `…`."""
    if len(text) <= length:
        return text
    cut = text[:length]
    return (cut[: cut.rfind(" ")] if " " in cut[length * 3 // 4 :] else cut).rstrip() + "…"
