import { accountForms } from './account.ts'
import { walkForms } from './form.ts'

walkForms(accountForms)
