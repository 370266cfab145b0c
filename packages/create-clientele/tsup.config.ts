import { defineConfig } from 'tsup'
import { writeTemplates } from './src/write-templates.ts'

export default defineConfig({
  entry: ['src/create-clientele.ts'],
  format: 'esm',
  target: 'es2022',
  platform: 'node',
  clean: true,
  onSuccess: () => writeTemplates(import.meta.dirname),
})
