/** A call of the operating system that changes what a disk has, by absolute paths. */
export type FileCall =
  | { kind: 'create' | 'make' | 'unlink' | 'sync'; path: string }
  | { kind: 'link' | 'rename'; path: string; to: string }
  | { kind: 'write'; path: string; at: number | undefined; bytes: Buffer }
  | { kind: 'truncate'; path: string; size: number }
  /** Something that the process has told the outside */
  | { kind: 'tell'; text: string }

/** The options that make strace write what `readTrace` reads. */
export const traceOptions = [
  '-f',
  '-y',
  '-xx',
  ...['-s', '1000000'],
  ...['-e', 'signal=none'],
  '-e',
  'trace=open,openat,mkdir,mkdirat,link,linkat,unlink,unlinkat,rename,renameat,renameat2,' +
    'fsync,fdatasync,ftruncate,write,pwrite64,writev,pwritev,pwritev2',
] as const

const line = /^\d+ +(\w+)\((.*)\) += (-?\d+)(?:<(.*)>)?$/

/** Reads the calls of a trace that succeeded, below a folder. */
export function readTrace(text: string, root: string): FileCall[] {
  return joinLines(text).flatMap((each) => {
    const [, name = '', args = '', result = '', opened = ''] = line.exec(each) ?? []
    if (name === '' || Number(result) < 0) return []
    const call = toCall(name, args, decode(opened))
    const isOurs = call !== undefined && (call.kind === 'tell' || call.path.startsWith(root))
    if (isOurs && (name.includes('writev') || args.includes('...')))
      throw new Error(`A call that is not followed: ${name}`)
    return isOurs ? [call] : []
  })
}

/** A call that another thread's call has interrupted has two lines. */
function joinLines(text: string): string[] {
  const begun = new Map<string, string>()
  return text.split('\n').flatMap((each) => {
    const [thread = ''] = each.split(' ', 1)
    const start = / <unfinished \.\.\.>$/.exec(each)
    if (start !== null) {
      begun.set(thread, each.slice(0, start.index))
      return []
    }
    const end = /^\d+ +<\.\.\. \w+ resumed>/.exec(each)
    return end === null ? [each] : [`${begun.get(thread)}${each.slice(end[0].length)}`]
  })
}

function toCall(name: string, args: string, opened: string): FileCall | undefined {
  const paths = [...args.matchAll(/"([^"]*)"/g)].map(([, text = '']) => text)
  const [first = '', second = ''] = paths
  const path = decode(first)
  const handle = decode(/^\d+<([^>]*)>/.exec(args)?.[1] ?? '')
  const last = Number(args.slice(args.lastIndexOf(',') + 1))
  if (name.startsWith('open'))
    return args.includes('O_CREAT') ? { kind: 'create', path: opened } : undefined
  if (name.startsWith('mkdir')) return { kind: 'make', path }
  if (name.startsWith('unlink')) return { kind: 'unlink', path }
  if (name.startsWith('link')) return { kind: 'link', path, to: decode(second) }
  if (name.startsWith('rename')) return { kind: 'rename', path, to: decode(second) }
  if (name === 'ftruncate') return { kind: 'truncate', path: handle, size: last }
  if (name.startsWith('pwrite'))
    return { kind: 'write', path: handle, at: last, bytes: toBytes(first) }
  if (name.startsWith('write'))
    return args.startsWith('1<')
      ? { kind: 'tell', text: decode(first) }
      : { kind: 'write', path: handle, at: undefined, bytes: toBytes(first) }
  return { kind: 'sync', path: handle }
}

function toBytes(text: string): Buffer {
  return Buffer.from(text.replaceAll('\\x', ''), 'hex')
}

function decode(text: string): string {
  return toBytes(text).toString('utf8')
}
