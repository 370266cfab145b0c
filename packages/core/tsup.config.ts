import { defineConfig } from 'tsup'

export default defineConfig({
  entry: [
    'src/index.ts',
    'src/database-url.ts',
    'src/node-version.ts',
    'src/postgres.ts',
    'src/sqlite.ts',
  ],
  format: 'esm',
  target: 'node22',
  dts: true,
  sourcemap: true,
  clean: true,
  removeNodeProtocol: false,
  // What is used of it to build queries is a third of it; loading all of its files would take half of our start.
  noExternal: ['kysely'],
})
