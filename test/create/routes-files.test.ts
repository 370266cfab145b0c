import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { root } from '../package/source-files.ts'

/** The lines that are not about where Clientele is opened. */
function readLines(file: string): string[] {
  const text = readFileSync(join(root, file), 'utf8').replace('createClientele, toWire', 'toWire')
  return text.split('\n').filter((line) => line !== '' && !aboutOpening.test(line))
}

const aboutOpening =
  /^import \{ (sqlite|clientele) \} from |^const clientele = await createClientele\(/

test.each(['express', 'fastify', 'koa', 'hono'])(
  'the example and the created app of %s have the same routes',
  (framework) => {
    const created = readLines(`packages/create-clientele/src/app/${framework}-routes.ts`)
    expect(created.length).toBeGreaterThan(10)
    expect(created).toEqual(readLines(`examples/${framework}-app/src/main.ts`))
  },
)
