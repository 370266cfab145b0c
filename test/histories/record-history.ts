import { setTimeout as sleep } from 'node:timers/promises'
import type { History, SeenEvent } from './history.ts'
import { Lane } from './lane.ts'
import { Recorder } from './recorder.ts'
import { ServerProcess } from './server-process.ts'
import { WebhookReceiver } from './webhook-receiver.ts'

const webhookTypes = ['user.created', 'user.updated']
/** How far all clocks go on each second at the end: leases of killed servers and pauses between attempts are soon over. */
const strideMs = 2 * 3_600_000
/** How many seconds may pass without a webhook before the rest counts as lost */
const maxSilences = 5

export interface Scene {
  servers: readonly ServerProcess[]
}

/** Something that goes wrong while clients ask. */
export type Fault = (scene: Scene) => Promise<void>

export interface Plan {
  /** The URL of the database */
  url: string
  serverCount: number
  /** The URL of the built package's `index.js` */
  core?: string
  laneCount: number
  /** How often each lane plays its scenarios */
  turns: number
  /** They come one after the other, at even distances of questions. */
  faults: readonly Fault[]
}

/** Lets clients ask servers while faults come, waits until everything is quiet, and returns what was seen. */
export async function recordHistory(plan: Plan): Promise<History> {
  const { url, serverCount, laneCount, turns, faults } = plan
  const core = plan.core ?? import.meta.resolve('@clientele/core')
  const receiver = new WebhookReceiver()
  const webhook = { url: await receiver.open(), types: webhookTypes }
  const servers = Array.from({ length: serverCount }, (_, index) => {
    return new ServerProcess({ core, url, ...(index === 0 && { webhook }) })
  })
  try {
    const recorder = new Recorder(servers)
    const [first, ...others] = servers
    recorder.apiKey = (await first?.start())?.apiKey ?? ''
    await Promise.all(others.map((server) => server.start()))
    let isOver = false
    const followers = servers.map((_, index) =>
      recorder.follow(index, 3 + 50 * index, () => isOver),
    )
    const following = Promise.all(followers)
    const lanes = Array.from({ length: laneCount }, (_, index) => playLane(recorder, index, turns))
    const playing = Promise.all(lanes)
    // Each turn of a lane has about 40 questions.
    const distance = (40 * laneCount * turns) / (faults.length + 1)
    let isDone = false
    const end = (): void => {
      isDone = true
    }
    playing.then(end, end)
    // Their faults are thrown below.
    following.catch(end)
    for (const [index, fault] of faults.entries()) {
      while (!isDone && recorder.operations.length < distance * (index + 1)) await sleep(2)
      await fault({ servers })
    }
    await playing
    isOver = true
    const followed = await following
    const feed = await recorder.follow(0, 1_000, () => true)
    await waitForWebhooks(receiver, feed, servers)
    return {
      operations: recorder.operations,
      feed,
      followed: followed.map((events) => events.map(({ id }) => id)),
      users: await recorder.listUsers(),
      webhookTypes,
      received: receiver.received,
    }
  } finally {
    await Promise.all(servers.map((server) => server.kill()))
    receiver.close()
  }
}

async function playLane(recorder: Recorder, index: number, turns: number): Promise<void> {
  const lane = new Lane(recorder, `lane${index}`)
  for (let turn = 0; turn < turns; turn++) await lane.play()
}

async function waitForWebhooks(
  receiver: WebhookReceiver,
  feed: readonly SeenEvent[],
  servers: readonly ServerProcess[],
): Promise<void> {
  const { received } = receiver
  const wanted = feed.filter(({ type }) => webhookTypes.includes(type))
  receiver.refuses = false
  for (let stride = 1, silences = 0; silences < maxSilences; stride++) {
    for (const server of servers) server.setClock(stride * strideMs)
    const count = received.length
    const end = performance.now() + 1_000
    while (performance.now() < end) {
      const arrived = new Set(received)
      if (wanted.every(({ id }) => arrived.has(id))) return
      await sleep(20)
    }
    silences = received.length === count ? silences + 1 : 0
  }
}
