import type { JSX } from 'preact'
import { english } from '../../english.ts'
import { PageHead } from '../../ui/page-head.tsx'

export function ReferenceScreen(): JSX.Element {
  return <PageHead title={english.reference.title} />
}
