/** A text of a source file, and what is put in its place. */
export interface Change {
  /** Below `packages/` */
  file: string
  /** It stands once in the file. */
  from: string
  to: string
}

export interface NamedTest {
  /** Below `test/`, without `.test.ts` */
  file: string
  /** The title of a test, or a part of it that selects it */
  name: string
  /** The file below `test/` that has the title, where another file than the test's own has it */
  titleIn?: string
}

/** What a document promises, and the run that would find it broken. */
export interface ProvenPromise {
  /** Texts of the documents: each the sentence itself, or a part that no other sentence has */
  said: readonly string[]
  test: NamedTest
  /** How the guard behind the promise is switched off */
  broken: readonly Change[]
}

/** A promise whose guard is switched off elsewhere already. */
export interface PromiseProvenElsewhere {
  said: readonly string[]
  /** `model`: a `name` in `test/model/guards.ts`; `histories`: a `what` in `test/histories/switched-off-guards.ts` */
  by: 'model' | 'histories'
  guard: string
}

/** A sentence that no test can find broken. */
export interface NotTestable {
  said: readonly string[]
  reason: string
}
