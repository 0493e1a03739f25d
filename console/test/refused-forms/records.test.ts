import { walkForms } from './form.ts'
import { recordForms } from './records.ts'

walkForms(recordForms)
