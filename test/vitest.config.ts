import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['**/*.test.ts'],
    exclude: ['bench/**', 'node_modules/**'],
    globalSetup: './support/global-setup.ts',
    testTimeout: 20_000,
    hookTimeout: 60_000,
  },
})
