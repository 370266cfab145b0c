/** A capability after CONTRIBUTING's recipe: a user's notes. By file of its folder. */
export const room = {
  'store.ts': `import type { NewEvent } from '../events/new-event.ts'
export interface Note { id: string; text: string; createdAt: number }
export interface NoteStore {
  list(accountId: string, userId: string): Promise<Note[]>
  add(accountId: string, userId: string, note: Note, event: NewEvent): Promise<void>
}
`,
  'sql.ts': `import type { Db } from '../../sql/db.ts'
import { writeWithEffects } from '../../sql/write-with-effects.ts'
import { type EventValues, eventValues, recordEvent } from '../events/sql/record-event.ts'
import type { UserKey } from '../users/store.ts'
import type { Note, NoteStore } from './store.ts'
export function createNoteStore(db: Db): NoteStore {
  const insert = writeWithEffects<UserKey & Note & EventValues>(db)(
    (queries, value) =>
      queries.insertInto('clientele_notes').values({
        account_id: value('accountId'), user_id: value('userId'), id: value('id'),
        text: value('text'), created_at: value('createdAt'),
      }).returning(['account_id', 'id']),
    [recordEvent(db)],
  )
  const select = db.statement<UserKey>()((queries, value) =>
    queries.selectFrom('clientele_notes').select(['id', 'text', 'created_at as createdAt'])
      .where('account_id', '=', value('accountId')).where('user_id', '=', value('userId')).orderBy('id'),
  )
  return {
    list: (accountId, userId) => db.query(select, { accountId, userId }),
    add: async (accountId, userId, note, event) => {
      await insert.execute({ ...eventValues(event), accountId, userId, ...note })
    },
  }
}
`,
  'services.ts': `import type { BaseServices } from '../../base/services.ts'
import type { UsersServices } from '../users/services.ts'
import type { NoteStore } from './store.ts'
export type NotesServices = BaseServices & UsersServices & { repository: { notes: NoteStore } }
`,
  'add-note.ts': `import type { Call } from '../../base/call/call.ts'
import { ClienteleError } from '../../base/errors.ts'
import { newEvent } from '../events/new-event.ts'
import { findUser } from '../users/find-user.ts'
import type { NotesServices } from './services.ts'
import type { Note } from './store.ts'
export async function addNote(services: NotesServices, call: Call, userId: string, text: string): Promise<Note> {
  const { repository, events, newId, clock } = services
  const { user } = await findUser(services, call, userId)
  if ((await repository.notes.list(call.accountId, userId)).length > 0) throw new ClienteleError('note_limit_reached')
  const note = { id: newId(), text, createdAt: clock() }
  const event = newEvent(services, call, 'note.added', userId, { noteId: note.id }, { user })
  await repository.notes.add(call.accountId, userId, note, event)
  events.emit(event)
  return note
}
`,
  'api.ts': `import { type CallInput, readCall } from '../../base/call/call.ts'
import { readId } from '../../base/input/call-arguments.ts'
import { addNote } from './add-note.ts'
import type { NotesServices } from './services.ts'
import type { Note } from './store.ts'
export interface NotesApi { add(call: CallInput, userId: string, text: string): Promise<Note> }
export function createNotesApi(services: NotesServices): { notes: NotesApi } {
  return { notes: { add: async (call, userId, text) => addNote(services, readCall(services, call), readId({ userId }), text) } }
}
`,
  'routes.ts': `import { z } from 'zod'
import { rootPath } from '../../http/match-route.ts'
import { respondWithJson } from '../../http/render.ts'
import { defineRoute, type Route, type Tag } from '../../http/route.ts'
import { userPathSchema } from '../users/routes.ts'
import { addNote } from './add-note.ts'
import type { NotesServices } from './services.ts'
const tag: Tag = { name: 'Notes', description: 'What is noted of a user.' }
export function createNoteRoutes(services: NotesServices): Route[] {
  return [defineRoute({
    id: 'addNote', method: 'POST', path: rootPath + '/{id}/note', summary: 'Note something', tag, scope: 'users:write',
    pathSchema: userPathSchema, bodySchema: z.strictObject({ text: z.string() }),
    responses: { 201: { description: 'It is noted' } }, errors: ['user_not_found', 'note_limit_reached'],
    handle: async ({ call }, { path, body }) =>
      respondWithJson(201, JSON.stringify(await addNote(services, call, path.id, body.text))),
  })]
}
`,
}

export const migration = `import type { Migration } from '../migration.ts'
import { ofUser } from './0001-initial/of-user.ts'
export const notes: Migration = {
  name: '9999-notes',
  up: ({ schema }, { types, keyedTable }) => [
    schema.createTable('clientele_notes')
      .addColumn('account_id', types.id, (column) => column.notNull())
      .addColumn('user_id', types.id, (column) => column.notNull())
      .addColumn('id', types.id, (column) => column.notNull())
      .addColumn('text', 'text', (column) => column.notNull())
      .addColumn('created_at', types.time, (column) => column.notNull())
      .addPrimaryKeyConstraint('clientele_notes_key', ['account_id', 'id'])
      .$call(ofUser('clientele_notes'))
      .modifyEnd(keyedTable),
  ],
}
`

/** What it needs outside of its folder, by file: before each place, what is put there. */
export const edits: Record<string, readonly [place: string, put: string][]> = {
  'clientele/capabilities.ts': [
    [
      'import { createUserRoutes }',
      `import { createNotesApi, type NotesApi } from '../capabilities/notes/api.ts'
import { createNoteRoutes } from '../capabilities/notes/routes.ts'
`,
    ],
    ['  apiKeys: ApiKeysApi\n', '  notes: NotesApi\n'],
    ['  apiKeys: {', '  notes: { api: createNotesApi, routes: createNoteRoutes },\n'],
  ],
  'repository/stores.ts': [
    [
      'import { createPasskeyStore }',
      `import { createNoteStore } from '../capabilities/notes/sql.ts'
import type { NoteStore } from '../capabilities/notes/store.ts'
`,
    ],
    ['  mfa: MfaStore', '  notes: NoteStore\n'],
    ['    mfa: createMfaStore', '    notes: createNoteStore(db),\n'],
  ],
  'index.ts': [
    [
      'export type { PersonalDataApi }',
      "export type { NotesApi } from './capabilities/notes/api.ts'\n",
    ],
  ],
  'base/errors.ts': [['    issuer_taken:', "    note_limit_reached: 'The user has a note.',\n"]],
  'capabilities/events/event-types.ts': [
    ["  'identity.linked'", "  'note.added': { ...aboutUser, data: { noteId: z.string() } },\n"],
  ],
  'sql/tables/user-tables.ts': [
    [
      '  clientele_user_roles:',
      `  clientele_notes: {
    erasure: 'with the user',
    columns: {
      account_id: id(), user_id: id('pseudonym'), id: id('pseudonym'), text: text('personal'), created_at: time('personal'),
    },
  },
`,
    ],
  ],
  'sql/migrations/migrate.ts': [
    ['import type { Migration }', "import { notes } from './9999-notes.ts'\n"],
    [']\n\ninterface MigrationStatements', '  notes,\n'],
  ],
}

/** What then works everywhere, without another line. */
export const program = `
import { createClientele } from './src/index.ts'
import { sqlite } from './src/sqlite.ts'

const clientele = await createClientele({ repository: sqlite({ filename: ':memory:' }) })
const { id } = await clientele.accounts.create({ name: 'Acme' })
const { apiKey } = await clientele.apiKeys.create(id)
const { user } = await clientele.users.create(id, { name: 'Ada', email: 'ada@example.com', password: 'analytical' })
const { text } = await clientele.notes.add(id, user.id, 'Likes tea')
const refused = await clientele.notes.add(id, user.id, 'Likes coffee').catch((error) => error.code)
const authorization = 'Bearer ' + apiKey
const answer = await clientele.handle({
  method: 'POST', url: '/client/user/' + user.id + '/note', mountPath: '', body: undefined, parsedBody: { text: 'x' },
  headers: { authorization, 'content-length': '12', 'content-type': 'application/json' },
  rawHeaders: ['authorization', authorization],
})
const { tags } = await clientele.openApi()
const { events } = await clientele.users.exportData(id, user.id)
const { removed } = await clientele.users.erase(id, user.id)
console.log(JSON.stringify({
  text, refused,
  events: events.map(({ type }) => type),
  status: answer.status,
  code: JSON.parse(answer.body).code,
  tag: tags.find(({ name }) => name === 'Notes')?.description,
  erased: removed.clientele_notes,
}))
await clientele.close()
`
