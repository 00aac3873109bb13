"""Random texts of one form each: quantities, addresses, URLs, versions, selectors, names and regular expressions, right ones
and wrong ones.
"""


def quoted(text, r):
    out = []
    for c in text:
        if c in "'\\":
            out.append("\\" + c)
        elif c == "\n":
            out.append("\\n")
        elif ord(c) < 32 or 0xD800 <= ord(c) < 0xE000:
            out.append("\\u%04x" % ord(c))
        else:
            out.append(c)
    return "'%s'" % "".join(out)


def digits(r, most=4):
    n = r.choice((1, 1, 1, 2, 2, 3, most))
    return "".join(r.choice("0123456789") for _ in range(n))


def quantity_text(r):
    n = r.choice((digits(r), digits(r), digits(r, 20), digits(r) + "." + digits(r), "." + digits(r),
                  digits(r) + ".", digits(r, 12) + "." + digits(r, 12), "0", "000" + digits(r)))
    return r.choice(("", "", "", "+", "-")) + n + r.choice(("", "", "", "n", "u", "m", "k", "M", "G", "T",
        "P", "E", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei", "e3", "E-2", "e", "K", "ki", "e" + digits(r), "E+"
        + digits(r), "mm"))


def hextet(r):
    return "".join(r.choice("0123456789abcdefABCDEF")
                   for _ in range(r.choice((1, 1, 2, 3, 4, 4, 5) if r.random() < 0.3 else (1, 2, 4))))


def ip_text(r):
    if r.random() < 0.5:
        return ".".join(str(r.choice((0, 1, 10, 127, 169, 192, 224, 239, 254, 255, r.randrange(256),
                                      r.randrange(300))))
                                          for _ in range(4 if r.random() < 0.93 else r.choice((3, 5))))
    parts = [hextet(r) for _ in range(8 if r.random() < 0.4 else r.randrange(9))]
    if parts and r.random() < 0.3:
        parts[0] = r.choice(("fe80", "ff02", "fd00", "2001", "0", "ff01", "fec0"))
    if r.random() < 0.1 and parts:
        parts[-1] = "1.2.3.4"
    text = ":".join(parts)
    if len(parts) < 8 or r.random() < 0.1:
        i = r.randrange(len(parts) + 1)
        text = ":".join(parts[:i]) + "::" + ":".join(parts[i:])
    return text + (r.choice(("%eth0", "%", "%1")) if r.random() < 0.05 else "")


def cidr_text(r):
    return ip_text(r) + "/" + r.choice((str(r.randrange(33)), str(r.randrange(129)), "0", "24", "032", "",
                                        "+8", "200", "8 "))


def url_text(r):
    text = r.choice(("http://", "https://", "ftp://", "", "/", "//", "x:", "1http://", "h+t.p-://", "HTTP://",
                     ":")) + r.choice(("", "", "u@", "u:p@", "a:b:c@", "u%40@"))
    text += r.choice(("example.com", "EXAMPLE.com", "[::1]", "[fe80::1%25en0]", "[::1", "a b", "1.2.3.4", "",
                      "h%41", "ü.de", "a_b", "h<", "%zz"))
    text += r.choice(("", "", ":80", ":", ":x", ":99999", ":-1"))
    text += r.choice(("", "/", "/a/b", "/%20x", "/a b", "/%zz", "/ü", "//x", "/a;b=c", "/*", "/a%2Fb",
                      "/!$&'()*+,;=:@", "/[x]", "/\"x"))
    text += r.choice(("", "", "?", "?a=1", "?a=1&b=2&a=3", "?a=%zz&b", "?a+b=c+d", "?x;y", "?a=%41%20", "?=v",
                      "?&&", "?ü=é", "?a b"))
    return text + r.choice(("", "", "#f", "#", "#a%20b#"))


def semver_text(r):
    text = r.choice(("", "", "", "v", "vv", "V")) + ".".join(r.choice((digits(r, 2), digits(r), "0", "01",
        digits(r, 21))) for _ in range(3 if r.random() < 0.7 else r.randrange(6)))
    if r.random() < 0.4:
        text += "-" + ".".join(r.choice(("alpha", "1", "rc-1", "01", "", "x.y", "0", "ü"))
                               for _ in range(r.randrange(1, 3)))
    return text + (("+" + r.choice(("b", "001", "a.b", "", "x_y"))) if r.random() < 0.3 else "")


def selector_text(r):
    def term():
        key = r.choice(("a", "b", "metadata.name", "spec.nodeName", "app.kubernetes.io/name", "-x", "a/b/c",
                        "", "A_b", "x" * 70))
        value = r.choice(("b", "y", "", "1", "-1", "ü", "a b", "x\\,y", "(", "foo"))
        return r.choice(("%s=%s", "%s==%s", "%s!=%s", "%s in (%s)", "%s notin (%s,z)", "%s>%s", "%s<%s",
                         "!%s%.0s", "%s%.0s", "%s in %s", "%s  =  %s")) % (key, value)
    return r.choice((",", ",", ", ", " ")).join(term() for _ in range(r.choice((1, 1, 1, 2, 3))))


def formatted_text(r):
    k = r.random()
    label = "".join(r.choice("abcxyz0189-") for _ in range(r.choice((1, 2, 5, 8, 62, 63, 64))))
    if k < 0.3:
        return label
    if k < 0.45:
        return ".".join("".join(r.choice("abz09-") for _ in range(r.choice((0, 1, 3, 63, 64))))
                        for _ in range(r.choice((1, 2, 3, 5))))
    if k < 0.6:
        return r.choice(("example.com", "", "A", "-x", label)) + "/" + r.choice((label, "Name_1.x", "", "-a",
            "é"))
    if k < 0.7:
        return "%04d-%02d-%02d" % (r.choice((2024, 2023, 0, 1900, 9999)), r.randrange(14),
                                   r.randrange(33)) + r.choice(("", "", "T00:00:00Z", "t23:59:59.5+01:00",
                                       " 00:00:00Z", "T24:00:00Z", "T12:60:00z", "T12:30:61Z", "T12:30:45",
                                       "T12:30:45.123456789-00:00", "T1:2:3Z"))
    if k < 0.8:
        return "".join(r.choice("0123456789abcdefABCDEFg") if r.random() < 0.98 else "-"
                       for _ in range(8)) + r.choice(("-", "")) + "e89b-12d3-a456-426614174000"
    if k < 0.9:
        return "".join(r.choice("abcXYZ019+/=-_\n") for _ in range(r.choice((0, 2, 3, 4, 4, 8))))
    return url_text(r)


def regex_text(r):
    def atom(d):
        k = r.random()
        if d > 0 and k < 0.3:
            return r.choice(("(%s)", "(?:%s)", "(?i:%s)", "(?P<n>%s)", "(?s)%s")) % alternation(d - 1)
        if k < 0.5:
            return r.choice(("[a-z]", "[^a]", "[[:digit:]]", "[a\\-z]", "[z-a]", "[]a]", "\\d", "\\w", "\\s",
                             "\\b", "\\pL", "\\p{Greek}", "\\x{41}", "\\Q.*\\E", "\\z", "\\C", "\\p{Foo}",
                             "[\\d-x]"))
        return r.choice(("a", "b", "x", "1", ".", "^", "$", "é", "-", "ab", "\\.", "{", "}", "]", "\\k"))

    def alternation(d):
        return r.choice(("", "", "|")).join("".join(atom(d)
            + r.choice(("", "", "", "*", "+", "?", "*?", "{2}", "{1,2}", "{0,}", "{2,1}", "{,3}", "**",
                        "{1001}", "+?")) for _ in range(r.choice((1, 1, 2))))
                            for _ in range(r.choice((1, 1, 2))))
    return alternation(2)


MAKERS = {"quantitytext": quantity_text, "iptext": ip_text, "cidrtext": cidr_text, "urltext": url_text,
          "semvertext": semver_text, "selector": selector_text, "formatted": formatted_text,
          "regex": regex_text}
OF_TYPE = {"quantity": "quantitytext", "ip": "iptext", "cidr": "cidrtext", "url": "urltext",
           "semver": "semvertext"}
