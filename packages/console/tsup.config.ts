import { defineConfig } from 'tsup'
import { build } from 'vite'

export default defineConfig({
  entry: ['src/index.ts'],
  format: 'esm',
  target: 'node22',
  dts: true,
  sourcemap: true,
  clean: true,
  removeNodeProtocol: false,
  onSuccess: async () => {
    await build({ configFile: 'vite.config.ts' })
  },
})
