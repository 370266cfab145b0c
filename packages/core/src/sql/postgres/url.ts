import { z } from 'zod'
import { toInputIssues } from '../../base/input/input.ts'

export interface PostgresHost {
  /** A name, an address, or the directory of a Unix socket; undefined: `pg`'s default */
  host: string | undefined
  port: number | undefined
}

/** The parsed URL of a PostgreSQL database. */
export interface PostgresUrl extends Parameters {
  hosts: PostgresHost[]
  user: string | undefined
  password: string | undefined
  database: string | undefined
}

export const sslModes = ['disable', 'prefer', 'require', 'verify-ca', 'verify-full'] as const

const flag = z.enum(['true', 'false']).transform((text) => text === 'true')
const milliseconds = z
  .string()
  .regex(/^[1-9]\d{0,8}$/, 'must be a whole number of milliseconds')
  .transform(Number)
const file = z.string().regex(/./, 'must name a file')
/** Explains what to write instead of libpq's values that we do not support. */
const oneOf = (values: readonly string[], advice: string) =>
  z.string().refine((text) => values.includes(text), `must be ${values.join(' or ')}: ${advice}`)

const parametersSchema = z.strictObject({
  schema: z
    .string()
    .refine(
      (name) => name !== '' && Buffer.byteLength(name) <= 63,
      'must be a name of 1 to 63 bytes',
    )
    .optional(),
  prepared_statements: flag.optional(),
  sslmode: z.enum(sslModes).optional(),
  sslrootcert: file.optional(),
  sslcert: file.optional(),
  sslkey: file.optional(),
  sslnegotiation: z.enum(['postgres', 'direct']).optional(),
  channel_binding: oneOf(
    ['disable', 'prefer'],
    'to be sure of the server write sslmode=verify-full',
  ).optional(),
  target_session_attrs: oneOf(
    ['read-write', 'primary', 'any'],
    'Clientele has to write',
  ).optional(),
  load_balance_hosts: z.literal('disable').optional(),
  application_name: z.string().optional(),
  options: z.string().optional(),
  connect_timeout: z
    .string()
    .regex(/^[1-9]\d{0,5}$/, 'must be a whole number of seconds')
    .transform(Number)
    .optional(),
  statement_timeout: milliseconds.optional(),
  lock_timeout: milliseconds.optional(),
  // We always behave as these parameters ask.
  uselibpqcompat: z.literal('true').optional(),
  client_encoding: z.literal(['utf8', 'UTF8']).optional(),
})
type Parameters = z.output<typeof parametersSchema>

/** Parameters that have another name here. */
const otherNames = new Map(
  Object.entries({
    ssl: 'write sslmode=require or sslmode=verify-full in place of ssl',
    pgbouncer: 'write prepared_statements=false in place of pgbouncer',
    sslaccept: 'write sslmode=require or sslmode=verify-full in place of sslaccept',
    currentschema: 'write schema in place of currentSchema',
    search_path: 'write schema in place of search_path',
  }),
)

const encode = 'write postgres://user:password@host:5432/database, other characters percent-encoded'
const authorityPattern = /^(?:(?<user>[^:]*)(?::(?<password>.*))?@)?(?<hosts>[^@]*)$/s
const hostPattern = /^(?<host>\[[\da-fA-F:.%]+\]|[^\s:[\]]*)(?::(?<port>\d*))?$/

/**
 * Reads a URL as libpq does (several hosts, sockets, `sslmode`), with our own parameters `schema` and
 * `prepared_statements`.
 *
 * @throws the error that `refuse` makes; its message contains no part of the URL except names of parameters
 */
export function parsePostgresUrl(text: string, refuse: (rule: string) => Error): PostgresUrl {
  const parts =
    /^postgres(?:ql)?:\/\/(?<authority>[^/?]*)(?:\/(?<path>[^?]*))?(?:\?(?<query>.*))?$/s
  const { authority = '', path = '', query = '' } = parts.exec(text)?.groups ?? {}
  const { user, password, hosts } = authorityPattern.exec(authority)?.groups ?? {}
  // An @ further right belongs to a password that contains a slash or a question mark.
  if (!parts.test(text) || hosts === undefined || /@/.test(path + query)) throw refuse(encode)
  const {
    host,
    port,
    user: otherUser,
    password: otherPassword,
    dbname,
    ...rest
  } = readQuery(query, refuse)
  return {
    ...checkParameters(rest, refuse),
    hosts: readHosts(hosts, host, port, refuse),
    user: otherUser ?? decode(user, refuse),
    password: otherPassword ?? decode(password, refuse),
    database: dbname ?? decode(path, refuse),
  }
}

function readQuery(query: string, refuse: (rule: string) => Error): Record<string, string> {
  const values: Record<string, string> = {}
  // As in libpq, a plus is a plus, not a space.
  for (const [name, value] of new URLSearchParams(query.replaceAll('+', '%2B'))) {
    if (!/^[a-z][a-z_]*$/i.test(name)) throw refuse(encode)
    if (Object.hasOwn(values, name)) throw refuse(`give ${name} once`)
    values[name] = value
  }
  return values
}

function checkParameters(
  values: Record<string, string>,
  refuse: (rule: string) => Error,
): Parameters {
  const result = parametersSchema.safeParse(values)
  if (result.success) return result.data
  const rules = toInputIssues(result.error.issues, values).map(({ pointer, code, message }) => {
    const name = pointer.slice(1)
    if (code !== 'unrecognized') return `${name} ${message}`
    return otherNames.get(name.toLowerCase()) ?? `the parameter ${name} is not known`
  })
  throw refuse(rules.join('; '))
}

/** `host` and `port` are the parameters, which take precedence over the authority of the URL. */
function readHosts(
  text: string,
  host: string | undefined,
  port: string | undefined,
  refuse: (rule: string) => Error,
): PostgresHost[] {
  const named = text.split(',').map((part) => {
    const groups = hostPattern.exec(part)?.groups
    if (groups === undefined) throw refuse(encode)
    const name = decode(groups.host?.replace(/^\[|\]$/g, ''), refuse)
    return { host: name, port: readPort(groups.port, refuse) }
  })
  const names = host?.split(',') ?? named.map((each) => each.host)
  if (names.some((name) => /\s/.test(name ?? '')))
    throw refuse('a host is a name, an address or a folder')
  const ports =
    port?.split(',').map((each) => readPort(each, refuse)) ?? named.map((each) => each.port)
  if (ports.length > 1 && ports.length !== names.length) {
    throw refuse('give as many ports as hosts, or one')
  }
  return names.map((name, index) => ({
    host: name || undefined,
    port: ports.length === 1 ? ports[0] : ports[index],
  }))
}

function readPort(text: string | undefined, refuse: (rule: string) => Error): number | undefined {
  if (text === undefined || text === '') return undefined
  const port = /^\d{1,5}$/.test(text) ? Number(text) : 0
  if (port < 1 || port > 65_535) throw refuse('a port is a number from 1 to 65535')
  return port
}

function decode(text: string | undefined, refuse: (rule: string) => Error): string | undefined {
  try {
    return text ? decodeURIComponent(text) : undefined
  } catch {
    throw refuse('a % stands before two hexadecimal digits; the character itself is %25')
  }
}
