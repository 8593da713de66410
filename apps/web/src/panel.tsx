import { AdminPage } from './admin/admin-page.tsx'
import { themeChoice } from './admin/shell/theme.ts'
import { openPage } from './app.tsx'

openPage(AdminPage, themeChoice.value === 'air' ? {} : { mode: themeChoice.value })
