import { expect, onTestFinished, test } from 'vitest'
import { consoleLogger } from '../../packages/core/src/base/runtime/logger.ts'
import { HookRunner } from '../../packages/core/src/capabilities/hooks/hook-runner.ts'

test('256 hooks run at once, and the next place is of the account that has the fewest', async () => {
  const asked: string[] = []
  const ends: (() => void)[] = []
  const runner = new HookRunner({
    hooks: {},
    logger: { ...consoleLogger, error() {} },
    tell: undefined,
  })
  onTestFinished(() => runner.close())
  const ask = (accountId: string) => {
    const call = {
      accountId,
      actor: { type: 'system', id: null },
      requestId: 'x',
      clientAddress: undefined,
    } as const
    const hang = () => {
      asked.push(accountId)
      return new Promise<void>((resolve) => ends.push(resolve))
    }
    // The end of the test cancels those that still run.
    runner.ask(call, 'beforeCreate', hang, () => undefined).catch(() => {})
  }
  for (let account = 0; account < 17; account++)
    for (let count = 0; count < 16; count++) ask(`account ${account}`)
  ask('another')
  await new Promise(setImmediate)
  expect(asked).toHaveLength(256)
  expect(asked).not.toContain('account 16')
  ends.shift()?.()
  ends.shift()?.()
  await new Promise(setImmediate)
  expect(asked.slice(256)).toEqual(['account 16', 'another'])
})
