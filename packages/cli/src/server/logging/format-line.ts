import { inspect } from 'node:util'
import { paint } from '../../paint.ts'

const colours = { debug: 'dim', info: 'green', warn: 'yellow', error: 'red' } as const

const indent = '    '

/** Formats a log line of JSON for people: time, level, message, and the details behind it or indented below it. */
export function formatLine(line: string): string {
  const { level, time, message, error, ...details } = JSON.parse(line)
  const { text, others } = describeRequest(message, details)
  const members = Object.entries(others)
  const short = members.filter(([, value]) => isShort(value))
  const long = members.filter(([, value]) => !isShort(value))
  const words = [
    color('dim', new Date(time).toTimeString().slice(0, 8)),
    colorLevel(level),
    clean(text),
    ...short.map(([name, value]) => color('dim', `${clean(name)}=${clean(String(value))}`)),
  ]
  const below = [
    ...(error === undefined ? [] : [describeError(error)]),
    ...long.map(([name, value]) => `${name}: ${inspect(value, { depth: 8, breakLength: 100 })}`),
  ]
  return [words.join(' '), ...below.map(indentLines)].join('\n').concat('\n')
}

/** The line of a request begins with what was asked and answered. */
function describeRequest(
  message: string,
  details: Record<string, unknown>,
): { text: string; others: Record<string, unknown> } {
  const { method, route, status, milliseconds, operation: _, ...others } = details
  if (milliseconds === undefined || status === undefined) return { text: message, others: details }
  const answer = `${status} in ${Number(milliseconds).toFixed(1)} ms`
  return { text: `${method} ${route ?? '(no route)'} ${answer}`, others }
}

function describeError(error: unknown): string {
  const isObject = typeof error === 'object' && error !== null
  const stack = isObject && 'stack' in error ? error.stack : error
  return typeof stack === 'string' ? clean(stack) : inspect(stack, { depth: 8 })
}

function isShort(value: unknown): boolean {
  return typeof value !== 'object' && !String(value).includes('\n')
}

function indentLines(text: string): string {
  return text.replaceAll(/^/gm, indent)
}

function colorLevel(level: string): string {
  const found = Object.entries(colours).find(([name]) => name === level)
  const label = clean(level).toUpperCase().padEnd(5)
  return found === undefined ? label : color(found[1], label)
}

function color(format: Parameters<typeof paint>[0], text: string): string {
  return paint(format, text, process.stderr)
}

/** A terminal would obey control characters: they may come from a caller. */
function clean(text: string): string {
  return text.replaceAll(/(?!\n)\p{Cc}/gu, '\ufffd')
}
