import { closedFault } from '../base/runtime/closed-fault.ts'
import { KeyedMutex } from '../base/runtime/keyed-mutex.ts'
import { refuseHooks } from '../capabilities/hooks/hook-runner.ts'
import { RequestsUnderWay } from '../capabilities/idempotency/requests-under-way.ts'
import type { JoinedStores } from '../repository/repository.ts'
import type { HostTransaction } from '../sql/host-transaction.ts'
import { type ClienteleMethods, createMethods } from './capabilities.ts'
import type { JoinedMethods } from './clientele.ts'
import { CommitWatch } from './commit-watch.ts'
import type { Services } from './create-services.ts'
import { DeferredEvents } from './deferred-events.ts'

/** The names in `JoinedMethods` */
const joinedMethods: { [Group in keyof JoinedMethods]: Record<keyof JoinedMethods[Group], true> } =
  {
    accounts: {
      create: true,
      find: true,
      list: true,
      update: true,
      rename: true,
      setPolicy: true,
      disable: true,
      enable: true,
    },
    apiKeys: { create: true, list: true, rotate: true, revoke: true },
    users: {
      create: true,
      find: true,
      list: true,
      replace: true,
      patch: true,
      activate: true,
      deactivate: true,
      delete: true,
      getEmailVerifiedAt: true,
    },
    sessions: { list: true, revoke: true, revokeAll: true },
    devices: { list: true, remove: true, removeAll: true },
    userTokens: { create: true, list: true, rename: true, revoke: true, revokeAll: true },
    identities: { list: true, link: true, unlink: true },
  }

/** Methods that work in one transaction at a time. They are reused for the next one. */
interface Joint {
  joined: JoinedStores
  events: DeferredEvents
  methods: ClienteleMethods
}

type Method = (...input: unknown[]) => Promise<unknown>

export interface Within {
  within(handle: object): JoinedMethods
  close(): void
}

/** Makes the function that binds methods to transactions of the host's. */
export function createWithin(services: Services): Within {
  const { repository, events, logger } = services
  const { host } = repository.storage
  const idle: Joint[] = []
  const watch = new CommitWatch({
    events: repository.events,
    emit: (event, user) => events.emit(event, user),
    logger,
  })
  let isClosed = false
  /** Savepoints of simultaneous calls would overlap. */
  const turns = new WeakMap<object, KeyedMutex>()

  function createJoint(): Joint {
    const joined = host.join()
    const deferred = new DeferredEvents(logger)
    const methods = createMethods({
      ...services,
      repository: joined.stores,
      events: deferred,
      hashesFirst: true,
      hooks: refuseHooks(services.hooks),
      // A call that waits here for others could deadlock with calls that wait for the transaction.
      mutex: new KeyedMutex(),
      requestsUnderWay: new RequestsUnderWay(),
    })
    return { joined, events: deferred, methods }
  }

  async function call(
    handle: object,
    transaction: HostTransaction,
    run: (methods: ClienteleMethods) => Promise<unknown>,
  ): Promise<unknown> {
    const joint = idle.pop() ?? createJoint()
    try {
      const result = await joint.joined.run(transaction, () => run(joint.methods))
      watch.add(handle, transaction, joint.events.take())
      return result
    } finally {
      // A failed call publishes no events.
      joint.events.take()
      idle.push(joint)
      await transaction.settle()
    }
  }

  return {
    within: (handle) => {
      const transaction = host.open(handle)
      const turn = turns.get(handle) ?? new KeyedMutex()
      turns.set(handle, turn)
      const bind =
        (group: string, name: string): Method =>
        async (...input) => {
          if (isClosed) throw closedFault()
          // While the call waits for its turn, or hashes, the host may end its transaction and begin another.
          const pinned = transaction.pin()
          return turn.take('', () =>
            call(handle, pinned, (methods) => methodOf(methods, group, name)(...input)),
          )
        }
      const groups = Object.entries(joinedMethods).map(([group, names]) => [
        group,
        Object.fromEntries(Object.keys(names).map((name) => [name, bind(group, name)])),
      ])
      return Object.fromEntries(groups) as JoinedMethods // the same groups and names
    },
    close: () => {
      isClosed = true
      watch.close()
    },
  }
}

function methodOf(methods: ClienteleMethods, group: string, name: string): Method {
  return Reflect.get(Reflect.get(methods, group), name) as Method // every joined method returns a promise
}
