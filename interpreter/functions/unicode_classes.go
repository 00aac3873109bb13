// Prints unicode_classes.inc, the names and ranges of Unicode that RE2 lacks, from Go's tables.
//
// Usage: go run unicode_classes.go > unicode_classes.inc
package main

import (
	"fmt"
	"sort"
	"strings"
	"unicode"
)

// Prints rows, as many to a line as fit.
func printRows(head string, rows []string) {
	fmt.Println(head)
	line := "   "
	for _, row := range rows {
		if len(line)+len(row)+2 > 110 {
			fmt.Println(line)
			line = "   "
		}
		line += " " + row + ","
	}
	fmt.Println(line + "\n};")
}

func main() {
	fmt.Println("// Made by unicode_classes.go from Unicode " + unicode.Version + "; do not edit.")
	var names []string
	for name, category := range unicode.CategoryAliases {
		key := strings.ToLower(strings.ReplaceAll(name, "_", ""))
		names = append(names, fmt.Sprintf("{%q, %q}", strings.ToUpper(key[:1])+key[1:], category))
	}
	sort.Strings(names)
	printRows("constexpr std::pair<std::string_view, std::string_view> kLongNames[] = {", names)

	var ranges []string
	for r := rune(0); r <= unicode.MaxRune; r++ {
		if !unicode.Is(unicode.Cn, r) {
			continue
		}
		first := r
		for r < unicode.MaxRune && unicode.Is(unicode.Cn, r+1) {
			r++
		}
		ranges = append(ranges, fmt.Sprintf("{0x%X, 0x%X}", first, r))
	}
	printRows("constexpr std::pair<uint32_t, uint32_t> kUnassigned[] = {", ranges)
}
