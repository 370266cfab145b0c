/** A page of the site, before VitePress renders it. */
export interface Page {
  /** `/guides/signing-in/`: begins and ends with a slash */
  route: string
  title: string
  /** Markdown. Its first line is the title, or frontmatter begins there */
  text: string
  /** The file of the repository that it is drawn from; undefined for a page that the build makes */
  source?: string
}

/** A page, or a part of one, in the side bar. */
export interface Entry {
  title: string
  link: string
  entries?: readonly Entry[]
}

/** A heading of the side bar, and what stands below it. */
export interface Section {
  title: string
  entries: readonly Entry[]
}
