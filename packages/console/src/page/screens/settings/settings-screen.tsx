import type { JSX } from 'preact'
import { useResource } from '../../api/use-resource.ts'
import { english } from '../../english.ts'
import { useAccountId } from '../../session/use-access.ts'
import { Card } from '../../ui/card.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { PageHead } from '../../ui/page-head.tsx'
import { Notice } from '../../ui/problem-notice.tsx'
import type { PasskeySettingsAnswer } from './passkey-settings.ts'
import { SettingsForm } from './settings-form.tsx'

const t = english.settings

/** The passkey settings of an account. */
export function SettingsScreen(): JSX.Element {
  const accountId = useAccountId()
  const resource = useResource<PasskeySettingsAnswer>('passkey-settings', { accountId })
  return (
    <>
      <PageHead title={t.title}>{t.lead}</PageHead>
      <div class="stack">
        <Loaded resource={resource}>
          {({ passkeys }) => (
            <>
              {passkeys === null && <Notice>{t.notSet}</Notice>}
              <SettingsForm
                settings={passkeys}
                onSaved={(saved) => resource.set({ data: { passkeys: saved }, etag: undefined })}
              />
            </>
          )}
        </Loaded>
        <Card title={t.aboutTitle}>
          <dl class="facts explained">
            <dt>{t.rpId}</dt>
            <dd>{t.aboutRpId}</dd>
            <dt>{t.origins}</dt>
            <dd>{t.aboutOrigins}</dd>
            <dt>{t.change}</dt>
            <dd>{t.aboutChange}</dd>
          </dl>
        </Card>
      </div>
    </>
  )
}
