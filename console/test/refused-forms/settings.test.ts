import { walkForms } from './form.ts'
import { settingForms } from './settings.ts'

walkForms(settingForms)
