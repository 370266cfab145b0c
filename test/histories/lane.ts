import type { Operation, Told } from './history.ts'
import type { Recorder } from './recorder.ts'

const clients = [0, 1, 2]

/** Three clients, who ask at the same time for what only one of them may get. Lanes have users of their own. */
export class Lane {
  readonly #recorder: Recorder
  readonly #name: string
  readonly #counts = [0, 0, 0]
  #turns = 0
  #user: { id: string; email: string } | undefined

  constructor(recorder: Recorder, name: string) {
    this.#recorder = recorder
    this.#name = name
  }

  /** Plays each scenario once. */
  async play(): Promise<void> {
    const scenarios = [
      () => this.#raceForEtag(),
      () => this.#raceForEmail(),
      () => this.#raceForSuccessor(),
      () => this.#changeApart(),
      () => this.#logOut(),
      () => this.#giveEmailBack(),
    ]
    for (const scenario of scenarios) await scenario()
  }

  async #raceForEmail(): Promise<void> {
    const email = this.#nextEmail()
    await this.#together((client) => this.#recorder.ask(client, { kind: 'create', email }))
    await this.#together((client) => this.#recorder.ask(client, { kind: 'find', email }))
  }

  async #raceForEtag(): Promise<void> {
    const { id: userId } = await this.#findUser()
    const { etag } = (await this.#recorder.ask(0, { kind: 'read', userId })).told ?? {}
    if (etag === undefined) return
    await this.#together(async (client) => {
      await this.#change(client, userId, etag)
      await this.#recorder.ask(client + 1, { kind: 'read', userId })
    })
  }

  /** Without an ETag each change is applied to what the others have written. */
  async #changeApart(): Promise<void> {
    const { id: userId } = await this.#findUser()
    await this.#together(async (client) => {
      for (let turn = 0; turn < 2; turn++) {
        await this.#change(client, userId)
        await this.#recorder.ask(client + 1, { kind: 'read', userId })
      }
    })
  }

  async #raceForSuccessor(): Promise<void> {
    const { refreshToken } = await this.#logIn()
    if (refreshToken === undefined) return
    const refresh = (client: number, token: string) =>
      this.#recorder.ask(client, { kind: 'refresh', refreshToken: token })
    const uses = await this.#together((client) => refresh(client, refreshToken))
    const successor = uses.find(({ told }) => told?.refreshToken !== undefined)?.told?.refreshToken
    if (successor === undefined) return
    await refresh(0, successor)
    await refresh(1, refreshToken)
  }

  async #logOut(): Promise<void> {
    const { token, refreshToken } = await this.#logIn()
    if (token === undefined || refreshToken === undefined) return
    const validate = () =>
      this.#together((client) => this.#recorder.ask(client, { kind: 'validate', token }))
    await validate()
    await this.#recorder.ask(2, { kind: 'log out', refreshToken, token })
    await validate()
  }

  async #giveEmailBack(): Promise<void> {
    const email = this.#nextEmail()
    const { told } = await this.#recorder.ask(0, { kind: 'create', email })
    const userId = told?.user?.id
    if (userId === undefined) return
    await this.#together(async (client) => {
      if (client === 0) await this.#recorder.ask(client, { kind: 'delete', userId })
      else await this.#recorder.ask(client, { kind: 'create', email })
      await this.#recorder.ask(client + 1, { kind: 'read', userId })
    })
  }

  async #logIn(): Promise<Partial<Told>> {
    const { id: userId, email } = await this.#findUser()
    return (await this.#recorder.ask(1, { kind: 'log in', userId, email })).told ?? {}
  }

  #change(client: number, userId: string, etag?: string): Promise<Operation> {
    const count = (this.#counts[client] ?? 0) + 1
    this.#counts[client] = count
    const question = { kind: 'change', userId, member: `client${client}`, count } as const
    return this.#recorder.ask(client, etag === undefined ? question : { ...question, etag })
  }

  /** The user that the clients of the lane share. */
  async #findUser(): Promise<{ id: string; email: string }> {
    while (this.#user === undefined) {
      const email = this.#nextEmail()
      const { told } = await this.#recorder.ask(0, { kind: 'create', email })
      if (told?.user !== undefined) this.#user = { id: told.user.id, email }
    }
    return this.#user
  }

  #nextEmail(): string {
    return `${this.#name}-${this.#turns++}@example.com`
  }

  #together<T>(work: (client: number) => Promise<T>): Promise<T[]> {
    return Promise.all(clients.map(work))
  }
}
