import { accessSync, constants } from 'node:fs'

/**
 * By default V8's young generation takes up to 128 MiB, two halves of 64. With halves of 16 a server that keeps few objects is
 * as fast; with halves of 8 a validation takes 1.1 times the CPU time.
 */
export const memoryFlag = '--max-semi-space-size=16'

/**
 * By default glibc keeps free memory in up to eight arenas for each processor, one for each thread. Under many kinds of load
 * two arenas keep 50 MiB less. Other systems ignore it.
 */
const fewArenas = { MALLOC_ARENA_MAX: '2' }

/**
 * Replaces this process by the same program with a flag and a setting, because V8 takes the flag only from the command
 * line, and glibc its setting only from the environment. The program continues unchanged where that is impossible
 * (Windows, Node below 22.15, a parent that talks to this process), and if the operator has set the memory.
 */
export function restartWithLessMemory(): void {
  const { execArgv, env, argv, execPath } = process
  const isSaid = [...execArgv, env.NODE_OPTIONS].some((text) => text?.includes('semi-space-size'))
  if (isSaid || process.connected || process.platform === 'win32') return
  try {
    // If this user may not execute it, execve would end the process.
    accessSync(execPath, constants.X_OK)
  } catch {
    return
  }
  process.execve?.(execPath, [execPath, memoryFlag, ...execArgv, ...argv.slice(1)], {
    ...fewArenas,
    ...env,
  })
}
