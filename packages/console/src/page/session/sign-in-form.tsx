import type { JSX } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import type { Problem } from '../api/problem.ts'
import { useAction } from '../api/use-action.ts'
import { english } from '../english.ts'
import { Button } from '../ui/button.tsx'
import { TextField } from '../ui/field.tsx'
import { Notice, ProblemNotice } from '../ui/problem-notice.tsx'
import { signIn } from './session.ts'

const t = english.signIn

/** Takes an API key, or a one-time link. The page keeps the input only as long as the form is open. */
export function SignInForm({ problem }: { problem?: Problem | undefined }): JSX.Element {
  const [typed, setTyped] = useState('')
  const action = useAction(signIn)
  // Show only the newest problem.
  useEffect(action.clear, [problem])
  const shown = action.problem ?? problem
  return (
    <form
      class="sign-in-form"
      onSubmit={(event) => {
        event.preventDefault()
        if (typed.trim() !== '') action.run(typed)
      }}
    >
      <SignInProblem problem={shown} />
      <TextField
        label={t.field}
        hint={t.hint}
        value={typed}
        onValue={setTyped}
        type="password"
        autocomplete="off"
        spellcheck={false}
        autofocus
        required
      />
      <Button type="submit" kind="primary" isBusy={action.isRunning}>
        {t.button}
      </Button>
    </form>
  )
}

/** Shows why a key or a link opened no session. */
export function SignInProblem({ problem }: { problem: Problem | undefined }): JSX.Element {
  return problem?.code === 'console_link_invalid' ? (
    <Notice kind="warn">{t.linkUsed}</Notice>
  ) : (
    <ProblemNotice problem={problem} />
  )
}
