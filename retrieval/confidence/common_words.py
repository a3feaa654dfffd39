"""Words that say little of what a question is about: those that serve to ask, and the commonest of the language. Pure.

"In what year …?" is answered by a date beside which no "year" stands, and "¿Cuánto suele tardar …?" by a sentence
without "suele". Of 567 questions of XQuAD that their paragraphs answer, 36 ask for a name or a year; the word stands in
the best passage of 15. They are no stop words: they are searched for, and count for little where they are missing.
"""

_ASKING = """
    hace hacen hacer tiene tienen tener puede pueden poder debe deben deber haber sirve sirven servir significa
    significan significar existe existen llama llaman dice dicen decir usa usan usar utiliza utilizan explica explicar
    resume resumir describe define ocurre pasa funciona establece diferencia ejemplo ejemplos tipo tipos forma manera
    cada segun da dan dar falta quiere
    use uses used using mean means say says explain summarize describe define work works happen happens called kind
    kinds type types many much long get gets make makes
    made way difference example examples must may need needs give gives
    given take takes
"""
_SPANISH = """
    nombre nombres ano anos fecha fechas dia dias mes meses siglo edad lugar lugares sitio zona tiempo momento
    vez veces cantidad numero porcentaje parte partes total medida tamano persona personas gente alguien nadie
    cosa cosas algun alguna algunos algunas ningun ninguna ninguno nada todo toda todos todas cualquier
    cualquiera varios varias mismo misma mismos mismas otros otras demas tal tales solo sola solamente tampoco
    ademas aunque mientras antes despues luego ahora siempre nunca todavia aun asi bien mal mejor peor menos
    mucho mucha muchos muchas poco poca pocos pocas tanto tanta tantos tantas bastante demasiado casi dentro
    fuera cerca lejos arriba abajo detras delante alrededor traves junto bajo hacia mediante salvo excepto
    incluso principal principales general normalmente aproximadamente originalmente actualmente generalmente
    principalmente posible necesario necesaria nuestro nuestra nuestros nuestras mis tus vuestro yo usted
    ustedes nosotros conmigo soy somos eres estar estan estaba estaban estuvo estamos estoy sido siendo fuese
    seria serian sera seran haya hayan habia habian hubo habra tengo tenga tengan tenia tenian tuvo tuvieron
    tenemos tendra hago hizo hicieron hecho haciendo haga hagan puedo podemos podia podria podrian pudo pueda
    puedan debia deberia deberian deba deban quiero quieren querer quiera voy va van ir iba iban fui vamos vaya
    vayan doy dio dieron dado dara lleva llevan llevar llevo pone ponen poner puso puesto pongo deja dejan dejar
    dejo sigue siguen seguir sigo suele suelen soler toca tocan tocar pasar paso pasado llega llegan llegar
    llego sale salen salir salio viene vienen venir vino queda quedan quedar quedo sabe saben saber supo cree
    creen creer creia parece parecen ver ve ven visto encuentra encuentran encontrar hallar llamado llamada
    llamaba llamar llamo denomina conoce conocen conocido conocida cuenta cuentan contar trata tratar tratan
    incluye incluyen contiene contienen consiste forman formar formado sucede sucedio ocurrio acaba acaban
    necesita necesitan necesito habla hablan considera consideran considerado basa basan recibe reciben razon
    razones motivo motivos causa causas maneras clase clases nuevo nueva nuevos nuevas gran grande grandes
    pequeno primero primera primer segundo segunda ultimo ultima exactamente concretamente minimo minima maximo
    maxima
"""
_ENGLISH = """
    name names named year years date dates day days month months century age old place places location time
    times moment amount amounts number numbers percentage percent part parts total size person persons people
    someone somebody anyone anybody everyone nobody thing things something anything nothing any some all every
    both either neither none other others another same such own several few fewer little lot lots too also only
    just even still yet already again always never ever often usually typically commonly generally normally
    mainly mostly approximately originally currently before after during between among along around through
    throughout within without under above below up down out off over near far away back here against toward
    towards since until while because although though unless except besides instead about like more most less
    least main primary major general certain possible different various new first second last next good better
    best bad worse worst well very quite rather almost enough really us mine yours yourself themselves itself
    himself myself shall should might ought cannot am having doing done go goes going gone went come comes came
    coming become becomes became keep keeps kept let lets put puts happened occur occurs occurred took taken
    taking gave got getting making find found see seen saw know knows known knew think believe believed consider
    considered want wants wanted help helps helped try call calls seem seems said tell tells told ask asks asked
    look looks able allowed belong belongs include includes included contain contains consist consists term
    terms reason reasons cause caused causes ways case cases sort large larger largest great greater big small
    smaller longer
"""
ASKING_WORDS = frozenset(_ASKING.split())
COMMON_WORDS = ASKING_WORDS | frozenset((_SPANISH + _ENGLISH).split())
