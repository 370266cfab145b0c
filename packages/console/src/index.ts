/** The console: a page for those who run Clientele and for those whose users it keeps. @module */

/** Where the built page lies. */
export const pageUrl: URL = new URL('./page/', import.meta.url)
