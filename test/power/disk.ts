import { dirname } from 'node:path'
import type { FileCall } from './read-trace.ts'
import { apply, type FileWrite } from './torn-writes.ts'

interface FileNode {
  /** What the process sees, and what is on disk for certain */
  content: Buffer
  synced: Buffer
}

/** What of the calls that no sync has confirmed the disk has. */
export interface Arrived {
  names: boolean
  contents(path: string): boolean
  /** Whether the last write arrived by half */
  isTorn?: boolean
}

/**
 * A folder on a disk, as POSIX describes it: a file's content is there for certain after a sync of the file, a name after
 * a sync of its folder. Otherwise it may be there or not.
 */
export class Disk {
  readonly #root: string
  readonly #names = new Map<string, FileNode | 'folder'>()
  #synced = new Map<string, FileNode | 'folder'>()
  #last: { path: string; before: Buffer; write: FileWrite } | undefined

  constructor(root: string) {
    this.#root = root
  }

  /** Returns whether it changed something. */
  apply(call: FileCall): boolean {
    this.#last = undefined
    if (call.kind === 'tell') return false
    const { path } = call
    const node = this.#names.get(path)
    if (call.kind === 'make') this.#names.set(path, 'folder')
    else if (call.kind === 'unlink') this.#names.delete(path)
    else if (call.kind === 'sync') this.#sync(path)
    else if (call.kind === 'create') {
      if (node !== undefined) return false
      this.#names.set(path, { content: Buffer.alloc(0), synced: Buffer.alloc(0) })
    } else if (node === undefined || node === 'folder') {
      throw new Error(`${call.kind} of ${path}, which is no file`)
    } else if (call.kind === 'write') {
      const write = { at: call.at ?? node.content.length, bytes: call.bytes }
      this.#last = { path, before: node.content, write }
      node.content = apply(node.content, [write])
    } else if (call.kind === 'truncate') node.content = resize(node.content, call.size)
    else if ('to' in call) {
      this.#names.set(call.to, node)
      if (call.kind === 'rename') this.#names.delete(path)
    }
    return true
  }

  /** The content of a file after a power cut; undefined: it is gone, or never had a name. */
  read(path: string, { names, contents, isTorn = false }: Arrived): Buffer | undefined {
    const known = names ? this.#names : this.#synced
    for (let above = dirname(path); above.length > this.#root.length; above = dirname(above))
      if (!known.has(above)) return undefined
    const node = known.get(path)
    if (node === undefined || node === 'folder') return undefined
    if (!contents(path)) return node.synced
    if (!isTorn || this.#last?.path !== path) return node.content
    const { at, bytes } = this.#last.write
    return apply(this.#last.before, [{ at, bytes: bytes.subarray(0, bytes.length / 2) }])
  }

  #sync(path: string): void {
    const node = this.#names.get(path)
    if (node !== undefined && node !== 'folder') {
      node.synced = node.content
      return
    }
    const isIn = ([name]: [string, unknown]): boolean => dirname(name) === path
    const others = [...this.#synced].filter((entry) => !isIn(entry))
    this.#synced = new Map([...others, ...[...this.#names].filter(isIn)])
  }
}

function resize(content: Buffer, size: number): Buffer {
  const resized = Buffer.alloc(size)
  content.copy(resized)
  return resized
}
