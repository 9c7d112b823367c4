"""Tables for notebooks."""
import html


def table(heads, rows):
    """An HTML table of texts."""
    def line(cell, texts):
        return "<tr>" + "".join(f"<{cell} style='text-align:left'>{html.escape(text)}</{cell}>" for text in texts) + "</tr>"
    return "<table>" + line("th", heads) + "".join(line("td", row) for row in rows) + "</table>"


def preformatted(text):
    return f"<pre>{html.escape(text)}</pre>"


def frame(page):
    """A page of its own inside of another."""
    return f"<iframe srcdoc=\"{html.escape(page)}\" style=\"width:100%;height:800px;border:0\"></iframe>"
