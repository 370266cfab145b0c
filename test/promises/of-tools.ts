import type { ProvenPromise } from './promise.ts'

export const promisesOfTools: readonly ProvenPromise[] = [
  {
    said: ['change nothing unless the command was started with `--write`'],
    test: {
      file: 'mcp/tools',
      name: 'a tool that changes something is not listed, and refused by its name',
    },
    broken: [
      {
        file: 'cli/src/mcp/serve-mcp.ts',
        from: 'isReading || writes)',
        to: 'isReading || !writes)',
      },
    ],
  },
  {
    said: ['Without `--secrets` they mask what has `format: password` in the OpenAPI document'],
    test: { file: 'mcp/tools', name: 'are masked without --secrets' },
    broken: [
      {
        file: 'cli/src/mcp/mask-secrets.ts',
        from: "return format === 'password'",
        to: "return format === 'secret'",
      },
    ],
  },
  {
    said: ['tokens, secrets and recovery codes.'],
    test: {
      file: 'http/secret-marks',
      name: 'each secret in the document has the mark of one, and nothing else does',
    },
    broken: [
      {
        file: 'core/src/capabilities/sessions/recovery-codes-schema.ts',
        from: 'z.string().length(19).meta(secretMark)',
        to: 'z.string().length(19)',
      },
    ],
  },
  {
    said: ['The API key is not sent to the target of a redirect.'],
    test: {
      file: 'mcp/tools',
      name: 'an answer that is too large, not of Clientele or a redirect is a result that says so',
    },
    broken: [
      {
        file: 'cli/src/mcp/api-door.ts',
        from: "redirect: 'manual'",
        to: "redirect: 'follow'",
      },
    ],
  },
]
