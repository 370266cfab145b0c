import { defineConfig } from 'tsup'

export default defineConfig({
  entry: [
    'src/index.ts',
    'src/database-url.ts',
    'src/kysely.ts',
    'src/node.ts',
    'src/node-version.ts',
    'src/opentelemetry.ts',
    'src/postgres.ts',
    'src/sqlite.ts',
    'src/testing.ts',
    // Code that runs in threads: its place in the build is known to the code that starts it.
    'src/base/outbound/exchange/exchange-thread.ts',
    'src/sql/sqlite/reader-thread.ts',
  ],
  format: 'esm',
  target: 'node22',
  dts: true,
  sourcemap: true,
  clean: true,
  removeNodeProtocol: false,
})
