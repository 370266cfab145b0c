import { statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'

const leastRoomBytes = 2 * 1024 ** 3

/** The folder for databases of tests, which need not survive a power cut: in memory where there is room. */
export async function findParent(): Promise<string> {
  const inMemory = '/dev/shm'
  const room = process.platform === 'linux' ? await statfs(inMemory).catch(() => null) : null
  return room !== null && room.bavail * room.bsize >= leastRoomBytes ? inMemory : tmpdir()
}
