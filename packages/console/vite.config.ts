import { defineConfig } from 'vite'

/** The page: static files that work under any prefix, without a line of script or style inside the HTML. */
export default defineConfig({
  root: 'src/page',
  // Addresses relative to the page: the host chooses the prefix.
  base: './',
  logLevel: 'warn',
  build: {
    outDir: '../../dist/page',
    emptyOutDir: true,
    target: ['chrome123', 'firefox121', 'safari17.5'],
    modulePreload: { polyfill: false },
    // Assets inlined as data: URLs would need a wider Content-Security-Policy.
    assetsInlineLimit: 0,
    // The licences of the bundled packages
    license: { fileName: 'THIRD-PARTY-NOTICES.md' },
  },
})
