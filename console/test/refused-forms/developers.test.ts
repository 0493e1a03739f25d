import { developerForms } from './developers.ts'
import { walkForms } from './form.ts'

walkForms(developerForms)
