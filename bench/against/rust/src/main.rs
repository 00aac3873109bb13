//! Answers the lines of ../README.md with the crate `cel`. It has no type checker: compiling is parsing.
use cel::{Context, Program};
use serde_json::{json, Value};
use std::collections::HashMap;
use std::hint::black_box;
use std::io::{self, BufRead};
use std::time::{Duration, Instant};

/// A whole number is an int; the crate's own conversion makes a uint of it.
fn to_cel(value: &Value) -> cel::Value {
    match value {
        Value::Null => cel::Value::Null,
        Value::Bool(b) => cel::Value::Bool(*b),
        Value::Number(n) => n.as_i64().map_or_else(|| cel::Value::Float(n.as_f64().unwrap()), cel::Value::Int),
        Value::String(s) => s.as_str().into(),
        Value::Array(items) => items.iter().map(to_cel).collect::<Vec<_>>().into(),
        Value::Object(of) => of.iter().map(|(key, v)| (key.clone(), to_cel(v))).collect::<HashMap<_, _>>().into(),
    }
}

/// Nanoseconds of a call: as many calls as fill the time.
fn measure<T>(limit: Duration, mut call: impl FnMut() -> T) -> f64 {
    let mut calls = 1u64;
    loop {
        let start = Instant::now();
        for _ in 0..calls {
            black_box(call());
        }
        let taken = start.elapsed();
        if taken >= limit {
            return taken.as_nanos() as f64 / calls as f64;
        }
        calls *= 2;
    }
}

fn answer(line: &str) -> Result<Value, String> {
    let asked: Value = serde_json::from_str(line).map_err(|e| e.to_string())?;
    let text = asked["expr"].as_str().ok_or("no expression")?;
    let limit = Duration::from_millis(asked["bench"].as_u64().unwrap_or(1));
    let mut context = Context::default();
    for (name, value) in asked["vars"].as_object().ok_or("no variables")? {
        context.add_variable_from_value(name.clone(), to_cel(value));
    }
    let program = Program::compile(text).map_err(|e| e.to_string())?;
    let value = program.execute(&context).map_err(|e| e.to_string())?;
    Ok(json!({
        "value": value.json().map_err(|e| e.to_string())?,
        "evalNs": measure(limit, || program.execute(&context)),
        "compileNs": measure(limit, || Program::compile(text)),
    }))
}

fn main() {
    for line in io::stdin().lock().lines() {
        let out = answer(&line.unwrap()).unwrap_or_else(|error| json!({ "error": error }));
        println!("{out}");
    }
}
