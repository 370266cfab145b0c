import { defineConfig } from 'tsup'

export default defineConfig({
  entry: ['src/clientele.ts', 'src/main.ts'],
  format: 'esm',
  target: 'node22',
  sourcemap: true,
  clean: true,
  removeNodeProtocol: false,
})
