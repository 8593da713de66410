import { AdminPage } from './admin/admin-page.tsx'
import { openPage } from './app.tsx'

openPage(AdminPage)
