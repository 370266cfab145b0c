import { Agent, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'

const pauseMilliseconds = 10

/** An account that does what is usual: it signs in a user, and validates its token, one request at a time. */
export class OtherAccount {
  readonly #base: string
  readonly #key: string
  readonly #readDelay: () => number
  readonly #kept = new Agent({ keepAlive: true, maxSockets: 1 })
  #opensConnections = false
  #token = ''

  /** @param readDelay what the machine has taken for other processes so far, in milliseconds */
  constructor(base: string, key: string, readDelay: () => number = () => 0) {
    this.#base = base
    this.#key = key
    this.#readDelay = readDelay
  }

  async signIn(credentials: { email: string; password: string }): Promise<string> {
    const { status, text } = await this.#post('login', credentials)
    if (status !== 200) throw new Error(`Nobody was signed in: ${text}`)
    this.#token = JSON.parse(text).data.token
    return this.#token
  }

  /**
   * Validates the token once, and answers with how long that took, in milliseconds. Time in which the server could have gone
   * on, and the machine ran other processes, does not count.
   */
  async validate(): Promise<number> {
    const before = performance.now()
    const delayBefore = this.#readDelay()
    const { status, text } = await this.#post('validation-token', {
      token: `Bearer ${this.#token}`,
    })
    if (status !== 200) throw new Error(`A good token was refused: ${text}`)
    const delay = this.#readDelay() - delayBefore
    return Math.max(0, performance.now() - before - delay)
  }

  /**
   * Validates the token again and again for so long, and answers with the 99th percentile of its waits.
   *
   * @param opensConnections whether each request comes over a connection of its own
   */
  async findWait(milliseconds: number, opensConnections = false): Promise<number> {
    this.#opensConnections = opensConnections
    const waits: number[] = []
    const end = performance.now() + milliseconds
    while (performance.now() < end) {
      waits.push(await this.validate())
      await sleep(pauseMilliseconds)
    }
    waits.sort((a, b) => a - b)
    // Of fewer than a hundred it is the longest.
    return Math.round(waits[Math.ceil(0.99 * waits.length) - 1] ?? Number.POSITIVE_INFINITY)
  }

  close(): void {
    this.#kept.destroy()
  }

  #post(path: string, content: unknown): Promise<{ status: number; text: string }> {
    const body = JSON.stringify(content)
    return new Promise((resolve, reject) => {
      const sent = request(`${this.#base}/client/user/auth/${path}`, {
        method: 'POST',
        agent: this.#opensConnections ? new Agent() : this.#kept,
        headers: {
          authorization: `Bearer ${this.#key}`,
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(body),
        },
      })
      sent.on('response', (response) => {
        let text = ''
        response.setEncoding('utf8')
        response.on('data', (chunk) => {
          text += chunk
        })
        response.on('end', () => resolve({ status: response.statusCode ?? 0, text }))
      })
      sent.on('error', reject).end(body)
    })
  }
}
