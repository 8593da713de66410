import { openPage } from './app.tsx'
import { NotFoundPage } from './sky/not-found-page.tsx'

openPage(NotFoundPage)
