import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { pickChanges } from '../../api/pick-changes.ts'
import { request } from '../../api/request.ts'
import { useAction } from '../../api/use-action.ts'
import { english } from '../../english.ts'
import { useAccountId } from '../../session/use-access.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { CheckField, TextField } from '../../ui/field.tsx'
import { ProblemNotice } from '../../ui/problem-notice.tsx'
import { toast } from '../../ui/toasts.tsx'
import {
  type NumberName,
  type PolicyAnswer,
  type PolicyDraft,
  type SignInMethod,
  signInMethods,
  toChanges,
  toDraft,
} from './policy.ts'

const t = english.policy

export function PolicyForm({
  answer: { policy, service },
  onSaved,
}: {
  answer: PolicyAnswer
  onSaved: (saved: PolicyAnswer) => void
}): JSX.Element {
  const accountId = useAccountId()
  const [draft, setDraft] = useState<PolicyDraft>(toDraft(policy))
  const change = (changes: Partial<PolicyDraft>) => setDraft({ ...draft, ...changes })
  const save = async () => {
    const body = toChanges(draft, policy)
    const { data } = await request<PolicyAnswer>('policy', { method: 'PATCH', accountId, body })
    // With what was typed since it was sent
    setDraft((typed) => ({ ...toDraft(data.policy), ...pickChanges(draft, typed) }))
    onSaved(data)
    toast(english.words.saved)
  }
  const { run, isRunning, problem } = useAction(save)
  const switchMethod = (method: SignInMethod, isOn: boolean) =>
    change({ sign_in: signInMethods.filter((each) => (each === method ? isOn : has(each))) })
  const has = (method: SignInMethod) => draft.sign_in.includes(method)
  const numberField = (name: NumberName) => (
    <TextField
      type="number"
      label={t.numbers[name].label}
      hint={t.numbers[name].hint}
      placeholder={String(service[name])}
      value={draft[name]}
      onValue={(text) => change({ [name]: text })}
      issue={problem?.issueOf(name)}
      autocomplete="off"
    />
  )
  return (
    <form
      class="stack narrow-form"
      onSubmit={(event) => {
        event.preventDefault()
        run()
      }}
    >
      <Card title={t.methods}>
        <div class="stack">
          {signInMethods.map((method) => (
            <CheckField
              key={method}
              label={t.methodNames[method]}
              checked={has(method)}
              onChecked={(isOn) => switchMethod(method, isOn)}
            />
          ))}
          {problem?.issueOf('sign_in') && <p class="issue">{problem.issueOf('sign_in')}</p>}
          <CheckField
            label={t.secondFactor}
            hint={t.secondFactorHint}
            checked={draft.second_factor === 'required'}
            onChecked={(isOn) => change({ second_factor: isOn ? 'required' : 'optional' })}
          />
          <TextField
            type="number"
            label={t.rememberDevice}
            hint={t.rememberDeviceHint}
            value={draft.remember_device_days}
            onValue={(text) => change({ remember_device_days: text })}
            issue={problem?.issueOf('remember_device_days')}
            autocomplete="off"
          />
          <CheckField
            label={t.verifiedEmail}
            hint={t.verifiedEmailHint}
            checked={draft.verified_email === 'required'}
            onChecked={(isOn) => change({ verified_email: isOn ? 'required' : 'optional' })}
          />
        </div>
      </Card>
      <Card title={t.passwords}>
        <div class="stack">
          <CheckField
            label={t.passwordRequired}
            hint={t.passwordRequiredHint}
            checked={draft.password_required}
            onChecked={(isOn) => change({ password_required: isOn })}
          />
          {numberField('min_password_length')}
        </div>
      </Card>
      <Card title={t.sessions}>
        <div class="stack">
          {numberField('session_ttl_seconds')}
          {numberField('session_max_seconds')}
        </div>
      </Card>
      <ProblemNotice problem={problem} />
      <div class="row">
        <Button type="submit" kind="primary" isBusy={isRunning}>
          {english.words.save}
        </Button>
      </div>
    </form>
  )
}
