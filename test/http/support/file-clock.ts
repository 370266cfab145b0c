import { closeSync, openSync, writeSync } from 'node:fs'
import { Clock } from './world.ts'

/** A clock that a process of its own reads, too: `follow-clock.ts` has it from the file. */
export class FileClock extends Clock {
  readonly path: string
  readonly #file: number
  #now = 0

  constructor(path: string) {
    super()
    this.path = path
    this.#file = openSync(path, 'w')
    const start = this.now
    Object.defineProperty(this, 'now', {
      get: () => this.#now,
      set: (now: number) => this.#write(now),
    })
    this.now = start
  }

  close(): void {
    closeSync(this.#file)
  }

  #write(now: number): void {
    this.#now = now
    const bytes = Buffer.alloc(8)
    bytes.writeDoubleLE(now)
    writeSync(this.#file, bytes, 0, bytes.length, 0)
  }
}
