import { connectionForms } from './connections.ts'
import { walkForms } from './form.ts'

walkForms(connectionForms)
