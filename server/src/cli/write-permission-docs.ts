import { writeFile } from 'node:fs/promises'
import { permissionsMarkdown } from '../http/describe-permissions.ts'

await writeFile(new URL('../../../docs/permissions.md', import.meta.url), permissionsMarkdown())
