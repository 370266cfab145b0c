import type { JSX } from 'preact'
import { useResource } from '../../api/use-resource.ts'
import { english } from '../../english.ts'
import { useAccountId } from '../../session/use-access.ts'
import { Loaded } from '../../ui/loaded.tsx'
import { PageHead } from '../../ui/page-head.tsx'
import { Notice } from '../../ui/problem-notice.tsx'
import type { PolicyAnswer } from './policy.ts'
import { PolicyForm } from './policy-form.tsx'

const t = english.policy

/** What an account demands of sign-ins and passwords. */
export function PolicyScreen(): JSX.Element {
  const accountId = useAccountId()
  const resource = useResource<PolicyAnswer>('policy', { accountId })
  return (
    <>
      <PageHead title={t.title}>{t.lead}</PageHead>
      <div class="stack">
        <Notice>{t.sessionsGoOn}</Notice>
        <Loaded resource={resource}>
          {(answer) => (
            <PolicyForm
              answer={answer}
              onSaved={(saved) => resource.set({ data: saved, etag: undefined })}
            />
          )}
        </Loaded>
      </div>
    </>
  )
}
