import type { ProvenPromise } from './promise.ts'

export const promisesOfHooks: readonly ProvenPromise[] = [
  {
    said: [
      '**Hooks** fail closed: while one fails or takes more than three seconds, what it was asked about does not happen.',
      'No hook gets a password.',
    ],
    test: { file: 'hooks/hooks', name: 'leave nothing written' },
    broken: [
      {
        file: 'core/src/capabilities/users/create-user.ts',
        from: "  await askBeforeCreate(services, call, user, 'create')\n",
        to: '',
      },
      {
        file: 'core/src/capabilities/sessions/open-session.ts',
        from: '    approved ??= await approveSignIn(services, call, user.id, amr, id)\n',
        to: '    approved ??= { sessionId: id ?? services.newId(), claims: undefined }\n',
      },
    ],
  },
  {
    said: ['A claim of a hook never replaces one of ours.'],
    test: { file: 'hooks/hooks', name: 'get no token by claims that are too large' },
    broken: [
      {
        file: 'core/src/capabilities/hooks/claims.ts',
        from: '  if (taken.length > 0)',
        to: '  if (taken.length > 99)',
      },
    ],
  },
  {
    said: ['A hook that hangs for one account leaves other accounts alone.'],
    test: { file: 'hooks/hooks', name: 'that hang for one account' },
    broken: [
      {
        file: 'core/src/capabilities/hooks/hook-runner.ts',
        from: '    atOnce,\n    atOncePerKey: atOncePerAccount,',
        to: '    atOnce: atOncePerAccount,',
      },
    ],
  },
  {
    said: [
      'If the user changes while a hook is asked about a sign-in, a refresh or an impersonation, it is asked again.',
    ],
    test: { file: 'hooks/asked-again', name: 'is asked again before a session opens' },
    broken: [
      {
        file: 'core/src/capabilities/sessions/sql/create-session.ts',
        from: "            .where(hasVersion(value('version')))\n",
        to: '',
      },
    ],
  },
  {
    said: ['Taking access away asks no hook.'],
    test: { file: 'hooks/hooks', name: 'are not asked when access is taken away' },
    broken: [
      {
        file: 'core/src/capabilities/hooks/ask-hooks.ts',
        from: "  if (changed.length === 1 && changed[0] === 'isActive' && !after.isActive) return\n",
        to: '',
      },
    ],
  },
  {
    said: [
      "An import asks about each user, as a single request does; the operator's command line asks none.",
    ],
    test: { file: 'hooks/imports', name: 'hooks of imports' },
    broken: [
      {
        file: 'core/src/capabilities/import-export/ask-about-import.ts',
        from: "  if (!hooks.has('beforeCreate') && !hooks.has('beforeUpdate'))\n",
        to: '',
      },
      {
        file: 'core/src/capabilities/import-export/sql/import-plan.ts',
        from: '    isLast = !isAsAsked(record, user)\n',
        to: '',
      },
      {
        file: 'core/src/capabilities/import-export/planned-user.ts',
        from: '(record.emailVerified === undefined || asked.verifiedAt === user.verifiedAt)',
        to: 'true',
      },
      {
        file: 'core/src/capabilities/import-export/sql/insert-new.ts',
        from: '.filter(({ user }) => !user.asked)',
        to: '',
      },
    ],
  },
]
