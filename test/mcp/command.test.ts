import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { findFreePort } from '../support/find-free-port.ts'
import { runInTurn } from '../support/run-command.ts'
import { cliScript } from '../support/start-process.ts'
import { type McpWorld, openMcpWorld, toCommand } from './mcp-world.ts'

let world: McpWorld
beforeAll(async () => {
  world = await openMcpWorld()
})
afterAll(() => world.close())

test('it does not start without a server and a key that the server takes', async () => {
  const { url, apiKey } = world
  const closed = `http://127.0.0.1:${await findFreePort()}`
  const cases: [string[], string, number, RegExp][] = [
    [['--url', url], '', 2, /Set CLIENTELE_API_KEY/],
    [['--url', 'localhost'], apiKey, 2, /--url must be a URL/],
    [['--url', url.replace('//', '//a:b@')], apiKey, 2, /must have no user name/],
    [['--url', url, '--writ'], apiKey, 2, /Did you mean --write\?/],
    [[], apiKey, 2, /--url/],
    [['--url', url, '--json'], apiKey, 2, /leave out --json/],
    [['--url', url], `${apiKey.slice(0, -1)}!`, 1, /CLIENTELE_API_KEY is refused: .* Is it whole/],
    [['--url', closed], apiKey, 1, /No answer came from .* \(ECONNREFUSED\)/],
    [['--url', new URL(url).origin], apiKey, 1, /--url is where the routes are mounted/],
  ]
  for (const [options, key, code, words] of cases) {
    const environment = { ...(key && { CLIENTELE_API_KEY: key }) }
    const ended = await runInTurn(['mcp', ...options], environment)
    expect(ended, options.join(' ')).toMatchObject({ code, output: '' })
    expect(ended.errors).toMatch(words)
    expect(ended.errors).not.toContain(apiKey)
  }
})

test.each(['SIGTERM', 'SIGINT', 'the end of standard input'])(
  '%s ends it with 0, and standard output has only messages of the protocol',
  async (end) => {
    const { command, args, env } = toCommand(world.url, world.apiKey)
    const child = spawn(command, args, { env, stdio: ['pipe', 'pipe', 'pipe'] })
    let output = ''
    let errors = ''
    child.stderr.on('data', (piece) => {
      errors += piece
    })
    const params = {
      protocolVersion: '2025-06-18',
      capabilities: {},
      clientInfo: { name: 'test', version: '1.0.0' },
    }
    const message = { jsonrpc: '2.0', id: 1, method: 'initialize', params }
    child.stdin.write(`${JSON.stringify(message)}\nno message\n`)
    for await (const piece of child.stdout) {
      output += piece
      if (output.includes('"id":1')) {
        if (end === 'SIGTERM' || end === 'SIGINT') child.kill(end)
        else child.stdin.end()
        break
      }
    }
    if (child.exitCode === null) await once(child, 'exit')
    expect(child.exitCode).toBe(0)
    const lines = output.trimEnd().split('\n')
    for (const line of lines) expect(JSON.parse(line)).toMatchObject({ jsonrpc: '2.0' })
    expect(errors).not.toContain(world.apiKey)
  },
)

test('no other command loads the SDK', () => {
  const cwd = dirname(cliScript)
  const importing = globSync('*.js', { cwd }).filter((file) =>
    /^(import|export) .*from "(@modelcontextprotocol\/|\.\/serve-mcp)/m.test(
      readFileSync(join(cwd, file), 'utf8'),
    ),
  )
  expect(importing.length).toBeGreaterThan(0)
  expect(importing.filter((file) => !file.startsWith('serve-mcp-'))).toEqual([])
})
