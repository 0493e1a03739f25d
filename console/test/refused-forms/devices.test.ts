import { deviceForms } from './devices.ts'
import { walkForms } from './form.ts'

walkForms(deviceForms)
