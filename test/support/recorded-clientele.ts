import { type Clientele, type ClienteleOptions, createClientele } from '@clientele/core'
import { cheapHashing, LogRecorder } from '../keys/open-clientele.ts'
import type { OpenDatabase, TestDatabase } from './databases.ts'
import { openRecorded, type RecordedRepository } from './statement-recorder.ts'

/** A Clientele on a database of its own, which tells what statements it runs. */
export interface RecordedClientele {
  clientele: Clientele
  recorded: RecordedRepository
  database: OpenDatabase
  close(): Promise<void>
}

export async function openRecordedClientele(
  open: TestDatabase['open'],
  options: Partial<ClienteleOptions> = {},
): Promise<RecordedClientele> {
  const database = await open()
  const recorded = openRecorded(database.url)
  const clientele = await createClientele({
    repository: recorded.repository,
    secrets: ['a secret of the tests, 32 characters'],
    passwords: { hashing: cheapHashing },
    logger: new LogRecorder(),
    ...options,
  })
  const close = async () => {
    await clientele.close()
    await recorded.close()
    await database.close()
  }
  return { clientele, recorded, database, close }
}
