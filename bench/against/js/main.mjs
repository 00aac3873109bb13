// Answers the lines of ../README.md with @marcbachmann/cel-js. Whole numbers are BigInt there, as its README asks.
import {Environment} from '@marcbachmann/cel-js'
import {createInterface} from 'node:readline'

const toCel = (value) => {
  if (Number.isInteger(value)) return BigInt(value)
  if (Array.isArray(value)) return value.map(toCel)
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, toCel(member)]))
}

// Nanoseconds of a call: as many calls as fill the time.
const measure = (milliseconds, call) => {
  for (let calls = 1; ; calls *= 2) {
    const start = process.hrtime.bigint()
    for (let i = 0; i < calls; i++) call()
    const taken = Number(process.hrtime.bigint() - start)
    if (taken >= milliseconds * 1e6) return taken / calls
  }
}

const answer = ({expr, vars, bench}) => {
  const environment = new Environment()
  for (const name of Object.keys(vars)) environment.registerVariable(name, 'dyn')
  const compile = () => {
    const program = environment.parse(expr)
    const checked = program.check()
    if (!checked.valid) throw checked.error
    return program
  }
  const program = compile(), variables = toCel(vars)
  return {
    value: program(variables),
    evalNs: measure(bench, () => program(variables)),
    compileNs: measure(bench, compile),
  }
}

for await (const line of createInterface({input: process.stdin})) {
  let out
  try { out = answer(JSON.parse(line)) } catch (error) { out = {error: String(error.message)} }
  console.log(JSON.stringify(out, (_, value) => (typeof value === 'bigint' ? Number(value) : value)))
}
