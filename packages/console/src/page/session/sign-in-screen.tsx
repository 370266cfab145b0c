import type { JSX } from 'preact'
import { useEffect } from 'preact/hooks'
import type { Problem } from '../api/problem.ts'
import { english } from '../english.ts'
import { Logo } from '../ui/logo.tsx'
import { SignInForm } from './sign-in-form.tsx'

export function SignInScreen({ problem }: { problem?: Problem | undefined }): JSX.Element {
  const t = english.signIn
  useEffect(() => {
    document.title = `${t.title} · ${english.product}`
  }, [t.title])
  return (
    <main class="sign-in">
      <div class="sign-in-card">
        <Logo />
        <h1>{t.title}</h1>
        <p class="muted">{t.lead}</p>
        <SignInForm problem={problem} />
      </div>
    </main>
  )
}
