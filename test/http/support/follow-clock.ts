// Loaded into a server before anything else: its time is the number in a file, which the cases move.
import { openSync, readSync } from 'node:fs'

const file = openSync(process.env.CLOCK_FILE ?? '', 'r')
const bytes = Buffer.alloc(8)

Date.now = (): number => {
  readSync(file, bytes, 0, bytes.length, 0)
  return bytes.readDoubleLE()
}
