// Answers the lines of ../README.md with cel-go as anybody uses it: without Kubernetes' libraries and costs, with constant
// subexpressions folded.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"reflect"
	"time"

	"github.com/google/cel-go/cel"
	"google.golang.org/protobuf/types/known/structpb"
)

type asked struct {
	Expr  string         `json:"expr"`
	Vars  map[string]any `json:"vars"`
	Bench int            `json:"bench"`
}

// toCEL makes ints of whole numbers.
func toCEL(value any) any {
	switch v := value.(type) {
	case float64:
		if v == math.Trunc(v) {
			return int64(v)
		}
	case []any:
		for i := range v {
			v[i] = toCEL(v[i])
		}
	case map[string]any:
		for key := range v {
			v[key] = toCEL(v[key])
		}
	}
	return value
}

// measure gives the nanoseconds of a call: as many calls as fill the time.
func measure(milliseconds int, call func()) float64 {
	for calls := 1; ; calls *= 2 {
		start := time.Now()
		for range calls {
			call()
		}
		if taken := time.Since(start); taken >= time.Duration(milliseconds)*time.Millisecond {
			return float64(taken.Nanoseconds()) / float64(calls)
		}
	}
}

func answer(line []byte) (map[string]any, error) {
	var a asked
	if err := json.Unmarshal(line, &a); err != nil {
		return nil, err
	}
	options := []cel.EnvOption{}
	for name, value := range a.Vars {
		a.Vars[name] = toCEL(value)
		options = append(options, cel.Variable(name, cel.DynType))
	}
	env, err := cel.NewEnv(options...)
	if err != nil {
		return nil, err
	}
	compile := func() (cel.Program, error) {
		ast, issues := env.Compile(a.Expr)
		if issues.Err() != nil {
			return nil, issues.Err()
		}
		return env.Program(ast, cel.EvalOptions(cel.OptOptimize))
	}
	program, err := compile()
	if err != nil {
		return nil, err
	}
	activation, err := cel.NewActivation(a.Vars)
	if err != nil {
		return nil, err
	}
	value, _, err := program.Eval(activation)
	if err != nil {
		return nil, err
	}
	plain, err := value.ConvertToNative(reflect.TypeFor[*structpb.Value]())
	if err != nil {
		return nil, err
	}
	return map[string]any{
		"value":     plain,
		"evalNs":    measure(a.Bench, func() { program.Eval(activation) }),
		"compileNs": measure(a.Bench, func() { compile() }),
	}, nil
}

func main() {
	in := bufio.NewReaderSize(os.Stdin, 1<<20)
	for {
		line, err := in.ReadBytes('\n')
		if err != nil {
			return
		}
		out, err := answer(line)
		if err != nil {
			out = map[string]any{"error": err.Error()}
		}
		text, _ := json.Marshal(out)
		fmt.Println(string(text))
	}
}
